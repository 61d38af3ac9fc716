/** The service, for programs that start it in their own process. */
export { readConfig } from "./config.ts";
export { type Service, startService } from "./service.ts";
