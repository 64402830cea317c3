import FaradayCore
import FaradayCurl

let connection = Connection(adapter: CurlAdapter())
print(String(decoding: try await connection.get(CommandLine.arguments[1]).body.data ?? Data(), as: UTF8.self))
