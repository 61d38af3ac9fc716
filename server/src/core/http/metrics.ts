/**
 * `/metrics` for Prometheus: behind a token on the service's own port, or open on a port of its
 * own.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../ports/metrics.ts";

/**
 * `/metrics` on the service's own port: `Authorization: Bearer TOKEN`, 401 without. It is no route
 * of the interface.
 */
export function mountMetrics(server: FastifyInstance, metrics: Metrics, token: string): void {
	const wanted = hashText(`Bearer ${token}`);
	server.get("/metrics", async (request, reply) => {
		if (!timingSafeEqual(hashText(request.headers.authorization ?? ""), wanted)) {
			return reply.status(401).header("www-authenticate", "Bearer").send({ detail: "The metrics token is needed." });
		}
		const { contentType, body } = await metrics.text();
		return reply.header("content-type", contentType).send(body);
	});
}

/**
 * Serves `/metrics` without a token on a port of its own, for processes without the web role and
 * closed networks.
 */
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

/** Equal lengths make the comparison take the same time for any header. */
const hashText = (text: string): Buffer => createHash("sha256").update(text).digest();
