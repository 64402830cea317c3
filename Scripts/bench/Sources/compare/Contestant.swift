/// A program under test, and what it is told before the mode's own arguments.
struct Contestant: Hashable {
  enum Program: Hashable { case c, faraday, peers, python }

  let name: String
  let program: Program
  /// In place of the row's mode.
  var mode: String?
  var arguments: [String] = []
  /// It does only one in so many of the requests, as it would take too long: rates are compared, and per-request figures.
  var share = 1

  static let c = Contestant(name: "C on libcurl", program: .c)
  static let faraday = Contestant(name: "Faraday", program: .faraday)
  static let oneLoop = Contestant(name: "async-http-client, 1 loop", program: .peers, arguments: ["--client", "ahc-1"])
  static let twoLoops = Contestant(name: "async-http-client, 2 loops", program: .peers, arguments: ["--client", "ahc-2"])
  static let urlSession = Contestant(name: "URLSession", program: .peers, arguments: ["--client", "urlsession"], share: 5)

  static let plainC = Contestant(name: "C without a library", program: .c)
  static let python = Contestant(name: "Python's websockets", program: .python)

  static let asyncHTTPClient = [oneLoop, twoLoops]
  static let all = [c, oneLoop, twoLoops, urlSession, faraday]
  static let withoutURLSession = [c, oneLoop, twoLoops, faraday]

  /// Faraday, called in another way.
  static func faraday(_ name: String, mode: String? = nil, _ arguments: String...) -> Contestant {
    Contestant(name: "Faraday, \(name)", program: .faraday, mode: mode, arguments: arguments)
  }
}
