/** Routes of the search for objects. */
import { uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { findPaths } from "./paths.ts";
import { findAnswer, findQuery, liveFindAnswer, liveFindBody, liveFindQuery, liveFindStarted } from "./shapes.ts";

const base = { throttle: "user", permission: "view_snapshot" } as const;
const read = { ...base, audit: { none: "reads" } } as const;

export const findRoutes = {
	search: defineRoute({
		...findPaths.search,
		...read,
		summary: "Objects of all kept snapshots by address, MAC address, VLAN, DN or name, best first",
		query: findQuery,
		answers: { 200: findAnswer },
	}),
	startLive: defineRoute({
		...findPaths.startLive,
		...base,
		permission: "execute_savedquery",
		summary: "Ask controllers for endpoints, subnets, interfaces and names",
		audit: { category: "query_execution", action: "live_find_start" },
		body: liveFindBody,
		answers: { 202: liveFindStarted },
	}),
	live: defineRoute({
		...findPaths.live,
		...read,
		permission: "execute_savedquery",
		summary: "What the controllers have answered so far; for the user who asked",
		params: uuidParams,
		query: liveFindQuery,
		answers: { 200: liveFindAnswer },
	}),
} as const;
