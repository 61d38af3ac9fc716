/** Set-up of tests of webhooks: the service, a real receiver, and a new user for each test. */
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { type Answer, startTestApp, type TestApp, type TestUser } from "./harness.ts";
import { createTelling, type Telling } from "./telling.ts";
import { createStatusResponder, type Receiver, startReceiver } from "./webhook-receiver.ts";

export const HOOKS = "/api/notifications/webhooks/";
const DELIVERIES = "/api/notifications/deliveries/";
/** The secret of each webhook that is added. */
export const SECRET = "a-secret-of-the-receiver";

export interface Webhooks {
	t: TestApp;
	receiver: Receiver;
	/** The service's sender of webhooks. */
	sender: WebhookSender;
	telling: Telling;
	/** A new user for each test, who is the default of the functions below. */
	ada: TestUser;
	/** An address of the receiver. */
	getUrl(path: string): string;
	/** Adds a webhook. */
	postHook(fields?: object, user?: TestUser): Promise<Answer>;
	/** Adds a webhook to the receiver's `/ops`, which must succeed; returns its record. */
	addHook(fields?: object, user?: TestUser): Promise<Answer["body"]>;
	listHooks(user?: TestUser): Promise<Answer["body"]>;
	/** The user's first webhook; null before it is set up. */
	getHook(user?: TestUser): Promise<Answer["body"]>;
	/** The address of the user's first webhook. */
	getHookPath(user?: TestUser): Promise<string>;
	/** Changes the first webhook. */
	changeHook(fields: object): Promise<Answer>;
	/** Sets the first webhook up, or changes it. */
	enableHook(fields?: object): Promise<Answer>;
	/** Sends a test by the first webhook. */
	testHook(user?: TestUser): Promise<Answer>;
	publishNotice(notice?: object, user?: TestUser): Promise<void>;
	findDeliveries(query?: string, user?: TestUser): Promise<Answer["body"]>;
}

/** Sets up one test file. The fields are set before its first test begins, `ada` before each. */
export function useWebhooks(): Webhooks {
	let timers: { stop(): void };
	let names = 0;
	const hooks = {
		getUrl: (path) => new URL(path, hooks.receiver.url).href,
		postHook: (fields = {}, user = hooks.ada) =>
			user.api.post(HOOKS, { name: "Receiver", url: hooks.receiver.url, secret: SECRET, ...fields }),
		async addHook(fields = {}, user = hooks.ada) {
			const { status, body } = await hooks.postHook({ name: "Ops", url: hooks.getUrl("/ops"), ...fields }, user);
			expect([status, body]).toEqual([201, expect.anything()]);
			return body;
		},
		listHooks: async (user = hooks.ada) => (await user.api.get(HOOKS)).body.results,
		getHook: async (user = hooks.ada) => (await hooks.listHooks(user))[0] ?? null,
		getHookPath: async (user = hooks.ada) => `${HOOKS}${(await hooks.getHook(user)).id}/`,
		changeHook: async (fields) => hooks.ada.api.patch(await hooks.getHookPath(), fields),
		async enableHook(fields = {}) {
			if ((await hooks.getHook()) === null) return hooks.postHook(fields);
			return hooks.changeHook({ enabled: true, url: hooks.receiver.url, secret: SECRET, ...fields });
		},
		testHook: async (user = hooks.ada) => user.api.post(`${await hooks.getHookPath(user)}test/`),
		publishNotice: (notice = {}, user = hooks.ada) => hooks.telling.tell(hooks.telling.noticeFor(user.id, notice)),
		findDeliveries: async (query = "", user = hooks.ada) => (await user.api.get(DELIVERIES + query)).body.results,
	} as Webhooks;
	beforeAll(async () => {
		hooks.receiver = await startReceiver();
		hooks.sender = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
		hooks.t = await startTestApp({ inProcess: true, deps: { webhooks: hooks.sender } });
		hooks.telling = createTelling(hooks.t);
		timers = await hooks.telling.start();
	});
	afterAll(async () => {
		timers.stop();
		await hooks.t.close();
		await hooks.sender.close();
		await hooks.receiver.close();
	});
	beforeEach(async () => {
		hooks.receiver.answer = createStatusResponder(204);
		hooks.receiver.received.length = 0;
		hooks.ada = await hooks.t.user(`ada${++names}`);
	});
	return hooks;
}
