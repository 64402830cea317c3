import Faraday
import FoundationEssentials
import Testing

/// The lines of a Package.swift that the pages show.
@Suite struct ManifestTests {
  @Test(arguments: Pages.all)
  func `a page's manifest names products and traits that exist, and this version`(page: String) throws {
    let text = try Pages.text(of: page)
    let manifest = try Pages.text(of: "Package.swift")
    for product in Self.products(in: text) { #expect(manifest.contains(#".library(name: "\#(product)""#)) }
    for dependency in text.matches(of: /faraday\.git", from: "([^"]*)", traits: \[([^\]]*)\]/) {
      #expect(dependency.1 == packageVersion)
      for trait in dependency.2.matches(of: /"(\w+)"/) { #expect(manifest.contains(#"name: "\#(trait.1)","#)) }
    }
  }

  @Test func `the pages show manifests`() throws {
    let texts = try Pages.all.map(Pages.text)
    #expect(Set(texts.flatMap(Self.products)).isSuperset(of: ["Faraday", "FaradayCurl"]))
    #expect(texts.filter { $0.contains(#"faraday.git", from: "\#(packageVersion)", traits: ["#) }.count >= 3)
  }

  private static func products(in text: String) -> [String] {
    text.matches(of: /\.product\(name: "(\w+)", package: "faraday"\)/).map { String($0.1) }
  }
}
