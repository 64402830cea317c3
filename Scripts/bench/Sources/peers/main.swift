import Measuring

await runMeasured { arguments in
  switch arguments.client {
  case "ahc-1": try await AsyncHTTPClientModes.run(arguments, loops: 1)
  case "ahc-2": try await AsyncHTTPClientModes.run(arguments, loops: 2)
  case "urlsession": try await URLSessionModes.run(arguments)
  default: throw Arguments.Wrong("--client is ahc-1, ahc-2 or urlsession")
  }
}
