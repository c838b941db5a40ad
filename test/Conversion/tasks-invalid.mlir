// RUN: tlx-opt %s -verify-diagnostics -tlx-lower-to-threads
func.func @in_loop(%n: i32) attributes {tlx.kernel, tlx.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{tasks inside control flow are not supported; move the loop or condition into each task [unsupported-tasks-in-control-flow]}}
    tlx.async_tasks warps [4] registers [0] first_warp [0] names ["default"] replicas [0] {
      tlx.task_end
    }
  }
  return
}
