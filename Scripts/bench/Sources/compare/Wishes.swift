import Foundation

/// The arguments of `Scripts/bench/run`.
struct Wishes {
  static let help = """
    Compares Faraday with the same work done in C on libcurl (raw/), with async-http-client, on one event loop and on two, and with a
    bare URLSession, against one nginx with one worker and two small servers, all on loopback.

      Scripts/bench/run                      every row, 3 rounds: about twelve minutes
      Scripts/bench/run --quick              the rows that matter most, 3 short rounds: about two minutes
      Scripts/bench/run --only NAME[,NAME]   some rows; "build", "json-documents", "beside" and "checksum" are rows too, each alone
      Scripts/bench/run --growth FOLDER      how cost grows with requests in flight, connections, size and middleware, with plots (SVG)
           [--rounds N] [--json FILE] [--markdown FILE] [--unpinned]
           [--libcurl VERSION]             Faraday and the C program over one that Scripts/libcurls has fetched

    In each round of a row its programs run one after the other, each first in turn. Printed are medians, the spread, processor time for
    each request or GiB, the latency of half and of 99 of 100 requests, peak memory of the process, and the medians of the ratios within
    a round: to C, and to async-http-client with the number of loops that was better in that round. A program that fails, or does not do the same work as the others, ends it all; a
    target that is missed does not.

    "build" is a clean release build of a program that sends one request, its packages, size and start. "json-documents" compares reading
    and writing JSON with Foundation's. "beside" says how long small GETs take beside eight downloads over the same engine. "checksum" is a
    download whose SHA-256 is verified, beside curl and sha256sum.

    With taskset and two or more processors the servers get one for themselves, unless --unpinned is given. BENCH_BIN and BENCH_PEERS are
    used in place of the Swift programs, which are then not built.
    """

  var rounds: Int?
  var isQuick = false
  var isUnpinned = false
  var only: [String] = []
  var json = ""
  var markdown = ""
  var growth = ""
  var libcurl: String?

  init(_ words: [String]) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "--quick": isQuick = true
      case "--unpinned": isUnpinned = true
      case "--rounds", "--only", "--json", "--markdown", "--growth", "--libcurl":
        guard let value = rest.popFirst(), !value.isEmpty else { throw Failed("\(word) needs a value", status: 2) }
        try set(word, to: value)
      default: throw Failed("unknown argument \(word); see --help", status: 2)
      }
    }
  }

  private mutating func set(_ option: String, to value: String) throws {
    switch option {
    case "--rounds":
      guard let number = Int(value), number > 0 else { throw Failed("--rounds needs a number", status: 2) }
      rounds = number
    case "--only":
      only = value.split(separator: ",").map(String.init)
      guard !only.isEmpty else { throw Failed("--only needs names", status: 2) }
    case "--json": json = value
    case "--markdown": markdown = value
    case "--growth": growth = value
    default: libcurl = value
    }
  }
}
