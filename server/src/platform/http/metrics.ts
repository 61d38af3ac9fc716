/** `/metrics` for Prometheus: behind a token on the service's own port, or open on a port of its own. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../ports/metrics.ts";

/** Beside the routes of the interface, for it is none: `Authorization: Bearer TOKEN`, 401 without. */
export function mountMetrics(server: FastifyInstance, metrics: Metrics, token: string): void {
	const wanted = digest(`Bearer ${token}`);
	server.get("/metrics", async (request, reply) => {
		if (!timingSafeEqual(digest(request.headers.authorization ?? ""), wanted)) {
			return reply.status(401).header("www-authenticate", "Bearer").send({ detail: "The metrics token is needed." });
		}
		const { contentType, body } = await metrics.text();
		return reply.header("content-type", contentType).send(body);
	});
}

/** Serves `/metrics` to whoever reaches the port; for processes without the web role, and networks where only Prometheus does. */
export async function listenForMetrics(
	metrics: Metrics,
	where: { host: string; port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
	const server = createServer((request, response) => {
		if (request.method !== "GET" || request.url !== "/metrics") {
			response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Only GET /metrics is here."}');
			return;
		}
		metrics.text().then(
			({ contentType, body }) => response.writeHead(200, { "content-type": contentType }).end(body),
			() => response.writeHead(503).end(),
		);
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject).listen(where, resolve);
	});
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : where.port,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** Of equal length for any header, so that the comparison tells nothing by its time. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
