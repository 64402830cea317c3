import Faraday

extension Target {
  /// The events of a stream are the same in whatever pieces it arrives, and those of a reader of the whole, which goes by the
  /// letter of the specification; over a limit there is an error, and no more is held than it allows.
  static let events = Target("events") { input in
    guard let first = input.bytes.first else { return }
    let bytes = Array(input.bytes.dropFirst())
    let whole = Events(parsing: bytes, piece: .max, limits: EventStreamLimits())
    expectEqual(whole, Events(reading: bytes), "in one piece")
    expectEqual(Events(parsing: bytes, piece: 1, limits: EventStreamLimits()), whole, "byte by byte")
    let piece = Int(first >> 5) + 2
    expectEqual(Events(parsing: bytes, piece: piece, limits: EventStreamLimits()), whole, "in pieces of \(piece)")
    let limits = EventStreamLimits(line: Int(first & 31), event: Int(first >> 3))
    let limited = Events(parsing: bytes, piece: .max, limits: limits)
    expectEqual(Events(parsing: bytes, piece: 1, limits: limits), limited, "byte by byte, within \(limits)")
    expectEqual(Events(parsing: bytes, piece: piece, limits: limits), limited, "in pieces of \(piece), within \(limits)")
    expectEqual(Array(whole.events.prefix(limited.events.count)), limited.events, "the events before an error")
    if limited.error == nil { expectEqual(limited, whole, "without an error") }
  }
}

/// What there is in an event stream.
private struct Events: Equatable {
  var events: [ServerSentEvent] = []
  var lastEventID = ""
  var retry: Duration?
  var error: EventStreamError.Reason?

  init(parsing bytes: [UInt8], piece: Int, limits: EventStreamLimits) {
    var parser = EventStreamParser(limits: limits)
    var start = 0
    do {
      while start < bytes.count {
        let next = start + min(piece, bytes.count - start)
        parser.append(Data(bytes[start..<next]))
        while let event = try parser.next() { events.append(event) }
        start = next
      }
    } catch {
      self.error = (error as? EventStreamError)?.reason
      expect(self.error != nil, "\(error)")
    }
    (lastEventID, retry) = (parser.lastEventID, parser.retry)
  }

  /// By WHATWG HTML, section 9.2.6: the whole is decoded as UTF-8, and then read line by line.
  init(reading bytes: [UInt8]) {
    var text = String(decoding: bytes, as: UTF8.self).unicodeScalars
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var (data, type, id) = ("", "", "")
    var line = String.UnicodeScalarView()
    var last: Unicode.Scalar = " "
    for scalar in text {
      defer { last = scalar }
      if scalar == "\n", last == "\r" { continue }
      guard scalar == "\n" || scalar == "\r" else {
        line.append(scalar)
        continue
      }
      defer { line = String.UnicodeScalarView() }
      if line.isEmpty {
        lastEventID = id
        if !data.unicodeScalars.isEmpty {
          data.unicodeScalars.removeLast()
          events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: id))
        }
        (data, type) = ("", "")
        continue
      }
      let name = String(String.UnicodeScalarView(line.prefix { $0 != ":" }))
      var value = line.dropFirst(name.unicodeScalars.count).dropFirst()
      if value.first == " " { value = value.dropFirst() }
      let text = String(String.UnicodeScalarView(value))
      switch Array(name.utf8) {
      case Array("data".utf8): data.unicodeScalars += (text + "\n").unicodeScalars
      case Array("event".utf8): type = text
      case Array("id".utf8): if !value.contains("\0") { id = text }
      case Array("retry".utf8):
        if !value.isEmpty, value.allSatisfy({ ("0"..."9").contains($0) }) {
          retry = .milliseconds(min(Int64(text) ?? .max, 1_000_000_000_000))
        }
      default: break
      }
    }
  }
}
