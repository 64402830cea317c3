import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("not a URL") }
let (data, _) = try await URLSession.shared.data(from: url)
print(String(decoding: data, as: UTF8.self))
