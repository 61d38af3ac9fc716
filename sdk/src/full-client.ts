/** A client with the table of all routes. */
import { areas } from "@weft/contracts/browser";
import { type ClientOptions, createCaller, type WeftCaller } from "./client.ts";
import { sendReadVersions } from "./request-versions.ts";

/** The type is spelt out: the compiler does not write all routes into one inferred type. */
export interface WeftClient extends WeftCaller {
	/** All routes by area, for `call`. */
	readonly routes: typeof areas;
}

/**
 * A client of a service. Calls are repeated up to three times unless `retry` says something else.
 * Approvals and rejections carry the version of the request that the client read last.
 */
export function createClient(options: ClientOptions): WeftClient {
	return { ...sendReadVersions(createCaller({ retry: { limit: 3 }, ...options })), routes: areas };
}
