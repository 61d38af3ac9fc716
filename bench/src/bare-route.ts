/** Baseline for answers from memory: a bare Fastify route for the bodies given as JSON on stdin. */
import { text } from "node:stream/consumers";
import Fastify from "fastify";

const bodies: Record<string, string> = JSON.parse(await text(process.stdin));
const bare = Fastify();
for (const [path, body] of Object.entries(bodies)) {
	bare.get(path, (_request, reply) => reply.header("content-type", "application/json; charset=utf-8").send(body));
}
process.stdout.write(`${await bare.listen({ host: "127.0.0.1", port: 0 })}\n`);
process.on("SIGTERM", () => process.exit(0));
