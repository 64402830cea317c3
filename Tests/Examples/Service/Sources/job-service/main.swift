import Configuration
import JobService
import Logging

let config = ConfigReader(provider: EnvironmentVariablesProvider())
LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
var logger = Logger(label: "job-service")
logger.logLevel = Logger.Level(rawValue: try await config.fetchString(forKey: "log.level", default: "info")) ?? .info
try await JobService(Settings(config), metrics: PrometheusRegistry(), logger: logger).run()
