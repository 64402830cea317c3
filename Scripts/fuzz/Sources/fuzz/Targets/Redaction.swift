import Faraday
import Foundation

private let secrets = Secrets()
/// What must not be shown.
private let secret = "hunter2hunter2"

extension Target {
  /// A URL's password, a secret item and a secret member are in nothing that a person is shown.
  ///
  /// The lines are what stands around them: scheme, user, more of the password, what follows the host, before the item, behind it.
  static let redaction = Target("redaction") { input in
    let lines = input.lines
    let authority = "\(lines.text(1)):\(secret)\(lines.text(2))"
    // With one of these it would end before the password.
    if !authority.utf8.contains(where: { "/?#".utf8.contains($0) }) {
      let scheme = lines.text(0)
      // Behind what is none the same text is a path.
      checkURL("\(Reference.isScheme(scheme) ? scheme : "https")://\(authority)@\(lines.text(3))")
    }
    let start = malformed[lines.text(5).utf8.count % malformed.count]
    checkURL("\(start):\(secret)\(lines.text(2))@\(lines.text(3))")
    let query = [lines.text(4), names[lines.text(3).utf8.count % names.count] + "=" + secret, lines.text(5)]
    checkURL("https://host.test/path?" + query.joined(separator: "&"))
    checkForm(query.joined(separator: "&"))
    checkJSON(lines.text(4) + "{\"password\":\(lines.text(2))\"\(secret)\"}" + lines.text(5))
  }

  /// `Link`, `Refresh` and the fields that are a URL are shown without what is secret in it.
  ///
  /// The lines are what stands around it: before, scheme, user, behind the host, behind all.
  static let link = Target("link") { input in
    let lines = input.lines
    let user = lines.text(2)
    guard !(lines.text(1) + user).utf8.contains(where: { endOfURL.contains($0) }) else { return }
    let url = "\(lines.text(1))://\(user):\(secret)@\(lines.text(3))"
    let item = "https://h/?token=" + secret
    let (before, after) = (lines.text(0), lines.text(4))
    for value in ["\(before)<\(url)>\(after)", "\(before); url=\(url)", "\(before) \(item) \(after)"] {
      for name in linking { checkField(name, value) }
    }
    for name in [HTTPField.Name.location, .contentLocation, .referer] { checkField(name, url) }
    for name in linking { checkCommand(name, "\(before)<\(url)>\(after) \(item)") }
  }

  private static let names = ["token", "Password", "api_key", "user[password]", "t%6Fken", "sig"]
  /// What stands before the colon of a password in what is no URL, or another one than was meant.
  private static let malformed = [
    "", "user", "http:/user", "http:user", "//user", "http:\\\\user", "http:///user",
    "http://us#er", "/http://user", " http://user", "HTTPS:/\\user",
  ]
  private static let linking = ["Link", "Refresh"].compactMap { HTTPField.Name($0) }
  /// What a URL within a field cannot go on behind, or a field not hold.
  private static let endOfURL = Set("<>\"' \t;/?#\r\0".utf8)
  private static let plain = URL(string: "https://host.test/") ?? URL(filePath: "/")

  private static func checkURL(_ text: String) {
    var shown: [String] = []
    do {
      let request = try Request(text)
      shown = [secrets.redacting(request.url), "\(request)", request.curlCommand]
      shown.append("\(TransportError(.connectionFailed, building: request, "refused"))")
      expectEqual(Reference(shown[0]).user, nil, "the user")
    } catch {
      shown = ["\(error)"]
    }
    for text in shown {
      expect(!text.contains(secret), "the secret is shown: \(text)")
      expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is shown: \(text.debugDescription)")
    }
  }

  private static func checkForm(_ text: String) {
    let request = Request(.post, url: plain, headers: [.contentType: MediaType.form.description], body: .text(text))
    expect(!request.curlCommand.contains(secret), "a field of a form is shown: \(request.curlCommand)")
  }

  private static func checkJSON(_ text: String) {
    let request = Request(.post, url: plain, headers: [.contentType: MediaType.json.description], body: .text(text))
    let shown = request.curlCommand
    guard shown.contains(secret) else { return }
    // In what is no JSON, and with quotes around it, it may stand elsewhere than in that member.
    let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let isMember = object?["password"].map { "\($0)".contains(secret) } ?? false
    expect(!isMember, "a member is shown: \(shown)")
  }

  private static func checkField(_ name: HTTPField.Name, _ value: String) {
    let field = HTTPField(name: name, lenientValue: Array(value.utf8))
    let shown = secrets.redacting(field)
    expect(!shown.contains(secret), "the secret is shown: \(shown)")
  }

  /// The command shows fields by the same function, and quotes them.
  private static func checkCommand(_ name: HTTPField.Name, _ value: String) {
    var request = Request(url: plain)
    request.headers[fields: name] = [HTTPField(name: name, lenientValue: Array(value.utf8))]
    expect(!request.curlCommand.contains(secret), "the secret is shown: \(request.curlCommand)")
  }
}
