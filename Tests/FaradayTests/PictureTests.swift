import FoundationEssentials
import Testing

/// The pictures in the articles. `StandardTests` compares the order of the middleware.
@Suite struct PictureTests {
  @Test(arguments: ["stack", "request"]) func `every name in a picture exists`(picture: String) throws {
    let name = #/<(?:text|tspan)[^>]*class="(?:[a-z]+ )*name\b[^>]*>([^<]+)</#
    let text = try Pages.text(of: "Sources/Faraday/Faraday.docc/Resources/\(picture).svg")
    let names = text.matches(of: name).map { String($0.1) }
    #expect(names.count >= 5)
    #expect(names.flatMap(PageNames.unknown(inSpan:)) == [])
  }
}
