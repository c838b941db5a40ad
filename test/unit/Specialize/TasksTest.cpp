// Tasks: placement, replicas, what they see.
#include "Fixture.h"

using namespace tlx::specialize;

/// Tasks as a body of lines, indented below `with tlx.async_tasks():`.
static Outcome tasks(const std::string &before, const std::string &body, const SpecializeOptions &options = {}) {
  std::string text = before + "with tlx.async_tasks():\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(body).split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += ("    " + line + "\n").str();
  text.pop_back();
  return compileBody("p: \"*i32\", n: \"i32\", F: tl.constexpr = True", text, options);
}

TEST(Tasks, LargestAreFirstBehindTheDefault) {
  auto outcome = tasks("", "with tlx.async_task(num_warps=1, registers=24):\n    tl.store(p, 1)\nwith "
                           "tlx.async_task(\"default\"):\n    tl.store(p, 0)\n"
                           "with tlx.async_task(num_warps=4, replicate=2, registers=232):\n    tl.store(p, 2 + "
                           "tlx.async_task_replica_id())");
  EXPECT_HOLDS(outcome, "warps [4, 1, 4, 4] registers [0, 24, 232, 232] first_warp [0, 12, 4, 8] names [\"default\", "
                        "\"task0\", \"task2\", \"task2\"] replicas [0, 0, 0, 1]");
  EXPECT_HOLDS(outcome, "arith.constant 3 : i32");
}

TEST(Tasks, ExplicitPlacesAreKept) {
  auto outcome = tasks("", "with tlx.async_task(\"default\"):\n    pass\nwith tlx.async_task(num_warps=2, "
                           "warp_group_start_id=8, replicate=2):\n    tl.store(p, 1)");
  EXPECT_HOLDS(outcome, "first_warp [0, 8, 10]");
  EXPECT_ERROR(tasks("", "with tlx.async_task(\"default\"):\n    pass\nwith tlx.async_task(num_warps=2, "
                         "warp_group_start_id=3):\n    pass"),
               "7:14 task-overlap");
}

TEST(Tasks, PruningLeavesOnlyTheDefault) {
  auto outcome = tasks("",
                       "with tlx.async_task(\"default\"):\n    tl.store(p, 0)\nif F:\n    with "
                       "tlx.async_task(num_warps=4):\n        tl.store(p, 1)",
                       {.defines = {{"F", "False"}}});
  EXPECT_LACKS(outcome, "async_tasks");
  EXPECT_HOLDS(outcome, "tlx.store");
}

TEST(Tasks, ReplicasOfTheDefaultAreWorkers) {
  EXPECT_HOLDS(
      tasks("", "with tlx.async_task(\"default\", replicate=2):\n    tl.store(p, tlx.async_task_replica_id())"),
      "warps [4, 4]");
}

TEST(Tasks, TilesFromOutsideAreErrors) {
  auto outcome =
      tasks("x = tl.arange(0, 8)\n",
            "with tlx.async_task(\"default\"):\n    pass\nwith tlx.async_task(num_warps=4):\n    tl.store(p + x, n)");
  EXPECT_ERROR(outcome, "9:26 tile-captured");
  EXPECT_NE(outcome.diagnostics.find("move it into the task"), std::string::npos);
}

TEST(Tasks, NamesStayInside) {
  auto outcome =
      tasks("", "with tlx.async_task(\"default\"):\n    y = 1\nwith tlx.async_task(num_warps=4):\n    tl.store(p, y)");
  EXPECT_ERROR(outcome, "8:25 unknown-name");
}

TEST(Tasks, FormIsChecked) {
  EXPECT_ERROR(tasks("", "with tlx.async_task(num_warps=4):\n    pass"), "4:10 task-form");
  EXPECT_ERROR(tasks("", "tl.store(p, 1)"), "5:9 task-form");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "with tlx.async_task(\"default\"):\n    pass"), "4:10 task-form");
  EXPECT_ERROR(tasks("", "with tlx.async_task(\"default\"):\n    pass\nwith tlx.async_task(registers=24):\n    pass"),
               "7:14 missing-argument");
  EXPECT_ERROR(tasks("", "with tlx.async_task(\"default\"):\n    pass\nif n > 0:\n    with "
                         "tlx.async_task(num_warps=4):\n        pass"),
               "7:12 needs-constexpr");
  EXPECT_ERROR(compileBody("p: \"*i32\"", "x = tlx.async_task_replica_id()"), "4:9 task-form");
}

TEST(Tasks, RequestsAreChecked) {
  std::string head = "with tlx.async_task(\"default\"):\n    pass\n";
  auto outcome = tasks("", head + "with tlx.async_task(num_warps=4, registers=100):\n    pass");
  EXPECT_ERROR(outcome, "7:52 register-request");
  EXPECT_NE(outcome.diagnostics.find("100"), std::string::npos);
  EXPECT_ERROR(tasks("", head + "with tlx.async_task(num_warps=16, replicate=2):\n    pass"), "7:14 warp-count");
  EXPECT_ERROR(tasks("", head + "with tlx.async_task(num_warps=0):\n    pass"), "7:14 warp-count");
}

TEST(Tasks, SwallowsUnknownOptionsOfTheRegion) {
  EXPECT_HOLDS(
      compileBody(
          "p: \"*i32\"",
          "with tlx.async_tasks(warp_specialize=True):\n    with tlx.async_task(\"default\"):\n        tl.store(p, 1)"),
      "tlx.store");
}
