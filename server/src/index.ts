/** The service, for programs that start it in their own process. */
export { readConfig } from "./config.ts";
export type { Clock } from "./core/ports/clock.ts";
export { eraseDataFolder } from "./erase.ts";
export type { Composition } from "./open.ts";
export { type Service, startService } from "./service.ts";
