/// One kind of work that contestants do in turn.
struct Row {
  enum Unit: String {
    case requests = "requests/s"
    case megabytes = "MB/s"
    /// Memory of each exchange; less is better.
    case kibibytes = "KiB each"
    /// Peak memory of the process; less is better.
    case peak = "MB at most"

    var isRate: Bool { self == .requests || self == .megabytes }
  }

  let name: String
  let title: String
  let unit: Unit
  let mode: String
  let url: String
  var requests = 1
  var concurrency = 1
  var arguments: [String] = []
  var contestants = Contestant.all
  /// What Faraday is to reach, as ratios to C and to the better async-http-client. Only for reading.
  var target = ""
  /// Part of the short form.
  var isQuick = false
  /// The contestants have one processor, or all except the servers'. False leaves them all processors, with the servers.
  var isPinned = true

  func words(for contestant: Contestant, quick: Bool) -> [String] {
    // At least one for each task.
    let requests = max(self.requests / contestant.share / (quick ? 4 : 1), concurrency)
    return [contestant.mode ?? mode, url, "--requests", "\(requests)", "--concurrency", "\(concurrency)"] + arguments
      + contestant.arguments
  }
}
