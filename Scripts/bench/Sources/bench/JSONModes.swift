import Faraday
import Foundation
import Measuring

/// Reading and writing JSON, beside what Foundation has for it. Nothing is sent.
enum JSONModes {
  /// Prints a table: for each document MB of it per second of one processor's time, the median of so many rounds.
  static func compare(rounds: Int) throws {
    let names = ["JSONValue", "Serialization", "JSONDecoder"]
    print(line("MB/s", [" MB"] + names, "ratio"))
    for document in JSONDocument.all(quick: rounds < 3) {
      let readers: [(Data) throws -> Void] = [
        { _ = try JSONValue(data: $0) }, { _ = try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) },
        document.decode,
      ]
      try show("read " + document.name, document.data, rounds, readers.map { read in { try read(document.data) } })
    }
    let document = JSONDocument.all(quick: rounds < 3)[1]
    let value = try JSONValue(data: document.data)
    let object = try JSONSerialization.jsonObject(with: document.data)
    let people = try JSONDecoder().decode([JSONDocument.Person].self, from: document.data)
    try show(
      "write records", document.data, rounds,
      [
        { _ = try value.data() }, { _ = try JSONSerialization.data(withJSONObject: object) },
        { _ = try JSONEncoder().encode(people) },
      ])
  }

  private static func show(_ name: String, _ data: Data, _ rounds: Int, _ works: [() throws -> Void]) throws {
    // What is over in no time is done often.
    let times = max(1, 1_000_000 / data.count)
    var seconds = works.map { _ in [Double]() }
    for _ in 0..<rounds {
      for (index, work) in works.enumerated() {
        let start = processorSeconds
        for _ in 0..<times { try work() }
        seconds[index].append((processorSeconds - start) / Double(times))
      }
    }
    let rates = seconds.map { Double(data.count) / 1e6 / $0.sorted()[rounds / 2] }
    let best = rates.dropFirst().max() ?? 1
    print(line(name, [fixed(Double(data.count) / 1e6, 3)] + rates.map { fixed($0, 0) }, fixed(rates[0] / best, 1)))
  }

  /// Reads arrays that deep on a thread with a stack of 512 KiB, and prints how it went, if it comes back.
  static func deep(_ reader: String, depth: Int) throws {
    let data = Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    struct Nest: Decodable {
      let inner: [Nest]
      init(from decoder: any Decoder) throws { inner = try [Nest](from: decoder) }
    }
    let reads: [String: @Sendable () throws -> Void] = [
      "JSONValue": {
        let value = try JSONValue(data: data)
        guard try value == JSONValue(data: data), try value.data() == data else { throw Arguments.Wrong("it differs") }
      },
      "JSONSerialization": { _ = try JSONSerialization.jsonObject(with: data) },
      "JSONDecoder": { _ = try JSONDecoder().decode(Nest.self, from: data) },
    ]
    guard let read = reads[reader] else { throw Arguments.Wrong("no reader is named \(reader)") }
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      do {
        try read()
        print("read")
      } catch {
        print("error: \(type(of: error))")
      }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
  }

  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func line(_ name: String, _ columns: [String], _ last: String) -> String {
    ([name.padding(toLength: 16, withPad: " ", startingAt: 0)] + (columns + [last]).map { padded($0, 14) }).joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  private static func fixed(_ number: Double, _ places: Int) -> String { String(format: "%.\(places)f", number) }
}
