// Opening, running and checking a launch file.
#include "tlx/Launch/LaunchSession.h"

#include "tlx/Launch/Npy.h"
#include "tlx/Manifest/ReadFile.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::rt;

Result<LaunchSession> LaunchSession::open(const std::filesystem::path &path) {
  LaunchSession session;
  Result<LaunchFile> file = readLaunchFile(path);
  if (!file)
    return file.error();
  session.launchFile = std::move(*file);
  std::filesystem::path manifestPath = session.launchFile.manifestPath();
  Result<std::string> text = readFile(manifestPath);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parse(*text);
  if (!manifest)
    return Error{manifest.error().kind, manifestPath.string() + ": " + manifest.error().text};
  session.kernelManifest = std::move(*manifest);
  Result<LaunchRequest> request = bindArguments(session.launchFile, session.kernelManifest);
  if (!request)
    return Error{request.error().kind, path.string() + ": " + request.error().text};
  session.bound = std::move(*request);
  Result<std::vector<HostTensor>> tensors = makeTensors(session.launchFile);
  if (!tensors)
    return Error{tensors.error().kind, path.string() + ": " + tensors.error().text};
  session.initial = std::move(*tensors);
  session.current = session.initial;
  return session;
}

Status LaunchSession::load(Executor &executor) const {
  return executor.load(kernelManifest, launchFile.manifestPath());
}

Status LaunchSession::run(Executor &executor) {
  for (size_t i = 0; i < initial.size(); ++i)
    current[i].storage = initial[i].storage;
  return executor.run(bound, current);
}

Result<std::vector<Verdict>> LaunchSession::check() const {
  std::vector<Verdict> verdicts;
  for (const ExpectDecl &expect : launchFile.expect) {
    Result<Verdict> verdict = checkExpectation(launchFile, expect, initial, current);
    if (!verdict)
      return verdict.error();
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

std::string LaunchSession::firstDifference(const std::vector<HostTensor> &other) const {
  std::vector<std::string> watched = launchFile.save;
  for (const ExpectDecl &expect : launchFile.expect)
    watched.push_back(expect.tensor);
  for (size_t i = 0; i < current.size(); ++i) {
    bool isWatched = std::find(watched.begin(), watched.end(), current[i].name) != watched.end();
    if ((isWatched || watched.empty()) && current[i].storage != other[i].storage)
      return current[i].name;
  }
  return "";
}

Status LaunchSession::save() const {
  for (const std::string &name : launchFile.save)
    for (const HostTensor &tensor : current)
      if (tensor.name == name)
        if (Status status = writeNpy(tensor, launchFile.folder / (name + ".npy")); !status)
          return status;
  return Done();
}
