/**
 * For the benchmark `start`: an empty Fastify app beside the embedded store of a data folder.
 * Prints its address.
 */
import { join } from "node:path";
import Fastify from "fastify";
import { startEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";

const dataDir = process.env.WEFT_DATA_DIR ?? "";
const store = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: () => {} });
const app = Fastify();
app.get("/api/health/", async () => ({ status: "ok" }));
process.on("SIGTERM", async () => {
	await app.close();
	await store.stop();
	process.exit(0);
});
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
