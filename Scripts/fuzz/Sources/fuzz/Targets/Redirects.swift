import Faraday
import Foundation

extension Target {
  /// Wherever a `Location` leads: it is a place that RFC 3986 says, over HTTP, and no other origin gets what is this one's.
  ///
  /// The first line is the URL, the second the `Location`.
  static let redirects = Target("redirects") { input in
    let lines = input.lines
    guard let url = URL(string: lines.text(0)), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false else {
      return
    }
    let location = lines.indices.contains(1) ? Array(lines[1]) : []
    let seen = Seen<Request>()
    let answering = Answering { request in
      seen.append(request)
      var response = Response(status: seen.all.count > 1 ? .ok : .temporaryRedirect, url: request.url)
      response.headers[fields: .location] = [HTTPField(name: .location, lenientValue: location)]
      return response
    }
    var request = Request(.post, url: url, body: "body")
    for name in secretFields { request.headers[name] = secret }
    let sent = request
    switch immediately({ try await Stack([Redirects()], adapter: answering).send(sent) }) {
    case .success: break
    case .failure(let error):
      expect(error is RedirectError, "\(error)")
      expect(!"\(error)".contains(secret), "a secret in an error")
    }
    guard seen.all.count == 2 else { return }
    check(seen.all[1], from: request, location)
  }

  private static let secret = "hunter2hunter2"
  private static let secretFields = [HTTPField.Name.authorization, .proxyAuthorization, .cookie]

  private static func check(_ following: Request, from request: Request, _ location: [UInt8]) {
    let (before, after) = (Reference(request.url.absoluteString), Reference(following.url.absoluteString))
    let text = following.url.absoluteString
    expect(["http", "https"].contains(after.scheme?.lowercased()), "not HTTP: \(text)")
    expect(after.authority?.isEmpty == false, "no host: \(text)")
    let isSame = before.origin == after.origin
    expectEqual(after.user, isSame ? before.user : nil, "the user in \(text), from \(request.url)")
    let kept = secretFields.filter { following.headers[$0] != nil }
    expect(isSame || kept.isEmpty, "\(kept) go to \(text), from \(request.url)")
    checkPlace(after, from: before, location)
  }

  /// Of what is a reference to the letter there is one reading.
  private static func checkPlace(_ after: Reference, from before: Reference, _ location: [UInt8]) {
    guard location.allSatisfy({ plain.contains($0) }), location.filter({ $0 == UInt8(ascii: "#") }).count < 2 else { return }
    let reference = Reference(String(decoding: location, as: UTF8.self))
    guard reference.isOrdinary else { return }
    var expected = reference.resolved(against: before)
    expected.fragment = expected.fragment ?? before.fragment
    // The case of a scheme means nothing (RFC 3986, section 3.1).
    expected.scheme = expected.scheme?.lowercased()
    // The user is looked at above.
    let from = "where \(String(decoding: location, as: UTF8.self)) leads from \(before.text)"
    var place = after
    place.scheme = place.scheme?.lowercased()
    expectEqual(place.place.text, expected.place.text, from)
  }

  /// What stands for itself in any part; of other characters Foundation may encode some.
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#@!$&'()*+,;=".utf8)
}
