internal import FaradayCore

/// The state of a circuit and its transition rules, without clock and lock.
struct Circuit: CountedState, Equatable {
  /// The admission of a request. Its outcome counts only for the state that admitted it.
  struct Ticket: Sendable {
    let era: Int
    /// The number of the probe; nil for a request through a closed circuit.
    let probe: Int?
    /// Whether the head of its response has counted as a success.
    var hasSucceeded = false

    /// The ticket for the body after a successful head, which may still break off.
    var afterHead: Ticket { Ticket(era: era, probe: nil, hasSucceeded: true) }
  }

  enum Admission: Sendable {
    case admitted(Ticket)
    case refused(retryAfter: Duration, reason: String)
  }

  enum Outcome: Sendable, Equatable {
    case success
    /// A failure with its status or error code.
    case failure(String)
    /// Neither a failure nor a success, for instance a cancellation.
    case none
  }

  /// The outcomes of a tenth of the window.
  struct Slice: Sendable, Equatable {
    let index: Int64
    var failures = 0
    var total = 0
  }

  struct Probe: Sendable, Equatable {
    let number: Int
    let expires: Duration
  }

  enum Phase: Sendable, Equatable {
    case closed([Slice])
    case open(until: Duration)
    case halfOpen([Probe], successes: Int)
  }

  /// Increments with each change of phase.
  var era = 0
  var phase = Phase.closed([])
  /// The number of openings in a row without closing.
  var openings = 0
  var lastProbe = 0
  /// The reason for the opening: failures, all requests, and the status or error code of the last failure.
  var failed = 0
  var total = 0
  var cause = ""

  mutating func admit(at now: Duration, _ policy: CircuitBreaker.Policy) -> Admission {
    switch phase {
    case .closed: return .admitted(Ticket(era: era, probe: nil))
    case .open(let until):
      // A time beyond the policy's maximum comes from a wrong clock.
      let rest = min(until - now, policy.maximumDelay.withinClocks * 2)
      guard rest <= .zero else {
        phase = .open(until: now + rest)
        return .refused(retryAfter: rest, reason: reason(policy))
      }
      enter(.halfOpen([], successes: 0))
      return admit(at: now, policy)
    case .halfOpen(let probes, let successes):
      let lifetime = policy.probeLifetime.withinClocks
      let alive = probes.filter { $0.expires > now && $0.expires - now <= lifetime }
      guard alive.count + successes < max(1, policy.probes) else {
        return .refused(retryAfter: policy.delay(opening: openings, random: 0), reason: reason(policy))
      }
      lastProbe &+= 1
      phase = .halfOpen(alive + [Probe(number: lastProbe, expires: now + lifetime)], successes: successes)
      return .admitted(Ticket(era: era, probe: lastProbe))
    }
  }

  mutating func record(
    _ outcome: Outcome, of ticket: Ticket, at now: Duration, _ policy: CircuitBreaker.Policy, _ random: () -> Double
  ) {
    // The head of a probe may have closed the circuit. The body of the probe is then the first outcome in the closed circuit.
    guard ticket.era == era || ticket.hasSucceeded && ticket.era &+ 1 == era else { return }
    switch phase {
    case .open: return
    case .closed(let slices): count(outcome, isNew: !ticket.hasSucceeded, in: slices, at: now, policy, random)
    case .halfOpen(let probes, let successes):
      let others = probes.filter { $0.number != ticket.probe }
      // A probe that exceeded its lifetime and was replaced no longer counts.
      guard ticket.probe == nil || others.count < probes.count else { return }
      switch outcome {
      case .none: phase = .halfOpen(others, successes: successes)
      case .failure(let cause):
        (failed, total, self.cause) = (1, 1, cause)
        open(at: now, policy, random)
      case .success where successes + 1 < max(1, policy.probes): phase = .halfOpen(others, successes: successes + 1)
      case .success:
        enter(.closed([]))
        (openings, failed, total, cause) = (0, 0, 0, "")
      }
    }
  }

  private mutating func count(
    _ outcome: Outcome, isNew: Bool, in slices: [Slice], at now: Duration, _ policy: CircuitBreaker.Policy, _ random: () -> Double
  ) {
    guard outcome != .none else { return }
    let width = max(1, policy.window.storedNanoseconds / 10)
    let index = now.storedNanoseconds / width
    // Slices in the future come from a wrong clock.
    var slices = slices.filter { $0.index > index - 10 && $0.index <= index }
    if slices.last?.index != index { slices.append(Slice(index: index)) }
    let last = slices.count - 1
    if isNew { slices[last].total = min(slices[last].total + 1, 1 << 40) }
    if case .failure(let cause) = outcome {
      slices[last].failures = min(slices[last].failures + 1, 1 << 40)
      self.cause = cause
    }
    phase = .closed(slices)
    guard case .failure = outcome else { return }
    (failed, total) = slices.reduce((0, 0)) { ($0.0 + $1.failures, $0.1 + $1.total) }
    // The head of a response whose body broke off may be older than the window.
    total = max(total, failed)
    let isShare = Double(failed) >= policy.ratio * Double(total)
    if failed >= max(1, policy.failures), isShare { open(at: now, policy, random) }
  }

  private mutating func open(at now: Duration, _ policy: CircuitBreaker.Policy, _ random: () -> Double) {
    openings = min(openings + 1, 1000)
    enter(.open(until: now + policy.delay(opening: openings, random: random())))
  }

  private mutating func enter(_ phase: Phase) {
    era &+= 1
    self.phase = phase
  }

  private func reason(_ policy: CircuitBreaker.Policy) -> String {
    if openings > 1 { return "a probe failed with \(cause)" }
    return "\(failed) of \(total) requests within \(policy.window) failed, the last with \(cause)"
  }
}

/// The text form, one line: `1 o 3 1 0 5 8 503 1700000000000000000`.
extension Circuit {
  init?(text: String) {
    let words = text.split(separator: " ", maxSplits: 200)
    guard words.count >= 8, words[0] == "1" else { return nil }
    let numbers = words[2...6].compactMap { Int($0) }.filter { $0 >= 0 }
    guard numbers.count == 5, numbers[3] <= 1 << 50, numbers[4] <= 1 << 50 else { return nil }
    (era, openings, lastProbe, failed, total) = (numbers[0], min(numbers[1], 1000), numbers[2], numbers[3], numbers[4])
    cause = Self.word(words[7])
    let rest = words[8...]
    switch words[1] {
    case "o":
      guard let until = rest.first.flatMap({ Duration(storedNanoseconds: $0) }) else { return nil }
      phase = .open(until: until)
    case "c":
      let slices = rest.compactMap { word -> Slice? in
        let numbers = word.split(separator: ",").compactMap { Int64($0) }.filter { $0 >= 0 }
        guard numbers.count == 3, numbers[1] <= 1 << 40, numbers[2] <= 1 << 40 else { return nil }
        return Slice(index: numbers[0], failures: Int(numbers[1]), total: Int(numbers[2]))
      }
      guard slices.count == rest.count, slices.count <= 10 else { return nil }
      phase = .closed(slices)
    case "h":
      guard let successes = rest.first.flatMap({ Int($0) }), (0...1 << 40).contains(successes) else { return nil }
      let probes = rest.dropFirst().compactMap { word -> Probe? in
        let parts = word.split(separator: ",")
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        return Duration(storedNanoseconds: parts[1]).map { Probe(number: number, expires: $0) }
      }
      guard probes.count == rest.count - 1 else { return nil }
      phase = .halfOpen(probes, successes: successes)
    default: return nil
    }
  }

  var text: String {
    let (letter, rest): (String, [String]) =
      switch phase {
      case .open(let until): ("o", ["\(until.storedNanoseconds)"])
      case .closed(let slices): ("c", slices.map { "\($0.index),\($0.failures),\($0.total)" })
      case .halfOpen(let probes, let successes):
        ("h", ["\(successes)"] + probes.map { "\($0.number),\($0.expires.storedNanoseconds)" })
      }
    let numbers = [era, openings, lastProbe, failed, total].map { "\($0)" }
    return (["1", letter] + numbers + [Self.word(cause)] + rest).joined(separator: " ")
  }

  /// An adapter's error code may contain any characters.
  private static func word(_ text: some StringProtocol) -> String {
    let word = text.utf8.prefix(64).filter { $0.isTokenByte }
    return word.isEmpty ? "-" : String(decoding: word, as: UTF8.self)
  }
}
