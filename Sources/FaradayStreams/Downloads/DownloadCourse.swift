/// The course of a download so far: whether its errors are interruptions, how many came in a row, and whether the server
/// supports ranges.
struct DownloadCourse {
  /// The setbacks since the last new bytes.
  private struct Setbacks {
    var interruptions = 0
    /// Whether the file was started again.
    var hasStartedAgain = false
  }

  private enum State {
    /// No response has had content of the file: an error ends the download.
    case asking(Setbacks)
    /// A response has had content: an error is an interruption.
    case receiving(Setbacks)
    /// Like `receiving`, and the file was already shorter than the bytes received once: a further shorter total is not new.
    case receivingShorter(Setbacks)
  }

  private var state = State.asking(Setbacks())
  /// The highest number of bytes of the file so far.
  private var highest: Int64
  private var smallParts = 0
  /// Whether the server has responded to a range request with something other than that range.
  private(set) var hasNoRanges = false

  /// Creates a course that begins with the bytes of an earlier download.
  init(from size: Int64 = 0) { highest = size }

  /// Whether any content has arrived: only then errors are interruptions.
  var hasBegun: Bool { if case .asking = state { false } else { true } }

  private var setbacks: Setbacks {
    get {
      switch state {
      case .asking(let setbacks), .receiving(let setbacks), .receivingShorter(let setbacks): setbacks
      }
    }
    set {
      switch state {
      case .asking: state = .asking(newValue)
      case .receiving: state = .receiving(newValue)
      case .receivingShorter: state = .receivingShorter(newValue)
      }
    }
  }

  /// Records that a response has content of the file.
  mutating func begin() {
    if case .asking(let setbacks) = state { state = .receiving(setbacks) }
  }

  /// Records that the server does not support range requests.
  mutating func giveUpRanges() { hasNoRanges = true }

  /// Records the size of the part file after a request. Only bytes past the highest offset are new, and reset all counts.
  mutating func note(_ size: Int64) {
    guard size > highest else { return }
    highest = size
    setbacks = Setbacks()
  }

  /// Records the total of a response with the whole file. A total that does not exceed the bytes received means that the file
  /// has changed: its bytes are new. This counts only once: otherwise a server that alternates between two files would cause
  /// endless requests.
  mutating func note(total: Int64?) {
    guard let total, total <= highest else { return }
    switch state {
    case .asking(let setbacks), .receiving(let setbacks): state = .receivingShorter(setbacks)
    case .receivingShorter: return
    }
    highest = 0
  }

  /// Records that the file is started again. Returns false if that has happened since the last new bytes: the file changes
  /// constantly.
  mutating func startAgain() -> Bool {
    defer { setbacks.hasStartedAgain = true }
    return !setbacks.hasStartedAgain
  }

  /// Counts an interruption. Returns the number of interruptions in a row.
  mutating func interrupt() -> Int {
    setbacks.interruptions += 1
    return setbacks.interruptions
  }

  /// Counts a part that was shorter than requested. Returns the number of small parts in a row; 0 if this part is not small.
  mutating func follow(partOf count: Int64) -> Int {
    smallParts = count < 64 << 10 ? smallParts + 1 : 0
    return smallParts
  }
}
