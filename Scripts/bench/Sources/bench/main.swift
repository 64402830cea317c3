import Measuring

await runMeasured { arguments in
  switch arguments.mode {
  case "json-documents": try JSONModes.compare(rounds: arguments.requests)
  case "json-deep": try JSONModes.deep(arguments.url, depth: arguments.requests)
  case "beside": try await BesideMode.compare(arguments)
  default:
    let modes = try Modes(arguments)
    try await report(arguments, by: "faraday") { try await modes.work() }
  }
}
