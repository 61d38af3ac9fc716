/** What the binder does with answers, whatever the routes are. */
import type { RouteContract } from "@weft/contracts";
import pino from "pino";
import { expect, it } from "vitest";
import * as z from "zod";
import { type BoundRoute, mountRoutes } from "./binder.ts";
import { createHttpServer } from "./server.ts";

const contract: RouteContract = {
	id: "test.route",
	method: "GET",
	path: "/:name/",
	summary: "A route",
	auth: "anonymous",
	permission: "any",
	throttle: "none",
	audit: { none: "a test" },
	answers: { 200: z.unknown() },
};

it("sends each of the answers of a turn, also beside one that cannot be sent", async () => {
	const server = createHttpServer({
		logger: pino({ level: "silent" }),
		isUnavailable: () => false,
		basePath: "/",
	});
	const handler = async ({ path }: { path: string }) => ({
		status: 200,
		body: { path },
		headers: { "x-name": path === "/odd/" ? "two\nlines" : "one" },
	});
	mountRoutes(server, [{ contract, handler } as BoundRoute], {
		authenticate: async () => null,
		throttle: async () => async () => {},
		bodies: { admit: () => new Promise<never>(() => undefined) },
		trustedProxies: 0,
		basePath: "/",
	});
	const answers = await Promise.all(["/a/", "/odd/", "/b/"].map((url) => server.inject({ url })));
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 500, 200]);
	expect([answers[0], answers[2]].map((answer) => answer?.json())).toEqual([{ path: "/a/" }, { path: "/b/" }]);
	await server.close();
});
