import Foundation

/// What `run` has built and started, from the environment.
struct Setup {
  let raw, bench, peers: String
  /// An nginx over plain HTTP/1.1, over TLS, and over TLS with connections that end after a response.
  let files, secure, closing: String
  /// A server whose responses stand still, and one that drops what it is sent.
  let stalls, sink: String
  let certificate: String
  /// Where the files that are served lie, and others may be written.
  let directory: String
  /// A command in front of each program's: `taskset -c 0`.
  let prefix: [String]

  init() throws {
    func value(_ name: String) throws -> String {
      guard let value = ProcessInfo.processInfo.environment[name] else {
        throw Failed("\(name) is not set: start Scripts/bench/run")
      }
      return value
    }
    (raw, bench, peers) = (try value("BENCH_RAW"), try value("BENCH_BIN"), try value("BENCH_PEERS"))
    (files, secure, closing) = (try value("BENCH_FILES"), try value("BENCH_SECURE"), try value("BENCH_CLOSING"))
    (stalls, sink, certificate) = (try value("BENCH_STALLS"), try value("BENCH_SINK"), try value("BENCH_CERTIFICATE"))
    directory = try value("BENCH_DIRECTORY")
    prefix = try value("BENCH_PREFIX").split(separator: " ").map(String.init)
  }
}

struct Failed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
