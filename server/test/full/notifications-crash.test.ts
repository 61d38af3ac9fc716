/**
 * A service killed between the commit of a notification and its delivery, and during a delivery:
 * nothing is lost, and repeats are recognizable.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";
import { createStatusResponder, isSigned, type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const SECRET = "a-secret-of-the-receiver";
const ENVIRONMENT = { WEFT_WEBHOOK_TARGETS: "127.0.0.1", WEFT_LOG_LEVEL: "error" };

let receiver: Receiver;
let folder: string;
let running: RunningService | undefined;

beforeAll(async () => {
	receiver = await startReceiver();
	folder = await mkdtemp(join(tmpdir(), "weft-crash-"));
});
afterAll(async () => {
	running?.child.kill("SIGTERM");
	await running?.ended;
	await receiver.close();
	await rm(folder, { recursive: true, force: true });
});

async function launchService(environment: Record<string, string> = {}): Promise<RunningService> {
	running = await startService(folder, { ...ENVIRONMENT, ...environment });
	return running;
}

async function killService(service: RunningService): Promise<void> {
	service.child.kill("SIGKILL");
	await service.ended;
}

it("kill -9 after the commit, and again while the receiver has it: it is delivered, each repeat with the same id", async () => {
	// No worker runs, so committed notifications stay undelivered.
	const first = await launchService({ WEFT_ROLES: "web" });
	const hook = { name: "Receiver", enabled: true, url: receiver.url, secret: SECRET, categories: ["system"] };
	expect((await first.call("POST", "/api/notifications/webhooks/", hook)).status).toBe(201);
	const said = await first.call("POST", "/api/notifications/announcements/", { title: "Before the crash" });
	expect(said).toEqual({ status: 201, body: { recipients: 1 } });
	await killService(first);
	expect(receiver.received).toEqual([]);

	receiver.answer = () => {};
	const second = await launchService();
	await waitUntil("the receiver has it", () => receiver.received.length === 1, 60_000);
	await killService(second);

	receiver.answer = createStatusResponder(204);
	const third = await launchService();
	const list = async (path: string) =>
		(await third.call("GET", path)).body as { count: number; results: Record<string, unknown>[] };
	await waitUntil(
		"it is delivered",
		async () => (await list("/api/notifications/deliveries/")).results[0]?.state === "delivered",
		60_000,
	);
	const { count, results } = await list("/api/notifications/notifications/");
	expect([count, results[0]?.title]).toEqual([1, "Before the crash"]);
	expect((await list("/api/notifications/deliveries/")).count).toBe(1);
	expect(receiver.received.length).toBeGreaterThan(1);
	for (const got of receiver.received) {
		expect(got.headers["webhook-id"]).toBe(results[0]?.id);
		expect(isSigned(got, SECRET)).toBe(true);
	}
}, 180_000);
