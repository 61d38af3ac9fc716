import { describe, expect, test } from "vitest";
import {
	awaitCondition,
	captureRejection,
	createControllerObjects,
	createErrorReply,
	createHtmlReply,
	createReply,
	type Handler,
	type Reply,
	useBenches,
} from "../../../test/support/controllers.ts";
import type { ControllerError } from "./port-error.ts";

const setUp = useBenches();

const tooBig = createErrorReply(400, "400", "Unable to process the query, result dataset is too big");
const resolveTimeout = createErrorReply(503, "503", "Unable to deliver the message, Resolve timeout");
const unknownClass = createErrorReply(400, "122", "class faultIns not found");

describe("a read that is answered with", () => {
	type Case = [what: string, reply: Reply, asked: number, error: Partial<ControllerError>];
	test.each<Case>([
		[
			"an error object",
			unknownClass,
			1,
			{ kind: "rejected", status: 400, code: "122", text: "class faultIns not found" },
		],
		[
			"an error object and 200",
			createErrorReply(200, "122", "class x not found"),
			1,
			{ kind: "rejected", status: 200 },
		],
		["a refusal for size", tooBig, 1, { kind: "too_big", status: 400, retryable: false }],
		["the controller's timeout", resolveTimeout, 2, { kind: "timeout", status: 503, retryable: true }],
		[
			"the controller's timeout and 200",
			createErrorReply(200, "503", "Resolve timeout from apic:1:7:1"),
			2,
			{ kind: "timeout" },
		],
		["an error object and 503", createErrorReply(503, "503", "Service down"), 5, { kind: "server", retryable: true }],
		["an error object and 500", createErrorReply(500, "1", "internal"), 1, { kind: "server", retryable: false }],
		["a web page and 503", createHtmlReply(503), 5, { kind: "throttled", status: 503, retryable: true }],
		["a web page and 429", createHtmlReply(429), 5, { kind: "throttled", status: 429 }],
		["a web page and 405", createHtmlReply(405), 5, { kind: "throttled", status: 405 }],
		["a web page and 502", createHtmlReply(502), 5, { kind: "server", status: 502, retryable: true }],
		["a web page and 504", createHtmlReply(504), 5, { kind: "server", status: 504, retryable: true }],
		["a web page and 500", createHtmlReply(500), 1, { kind: "server", status: 500 }],
		["a web page and 404", createHtmlReply(404), 1, { kind: "not_a_controller", status: 404 }],
		["a web page and 414", createHtmlReply(414), 1, { kind: "limit", status: 414 }],
		["a web page and 400", createHtmlReply(400), 1, { kind: "rejected", status: 400 }],
		["a web page and 200", createHtmlReply(200), 1, { kind: "not_a_controller", status: 200 }],
		["plain JSON and 503", { status: 503, json: { detail: "no" } }, 5, { kind: "throttled" }],
		["broken JSON and 503", { status: 503, text: '{"imda' }, 5, { kind: "throttled" }],
		["cut-off JSON", { text: '{"totalCount":"1","imdata":[{' }, 5, { kind: "bad_answer", retryable: true }],
		["nothing", { text: "" }, 5, { kind: "bad_answer" }],
		["a dropped connection", "drop", 5, { kind: "reset", retryable: true }],
		["half an answer", "cut", 5, { kind: "reset" }],
		["no objects of many", createReply([], 7), 5, { kind: "busy", retryable: true }],
		[
			"a redirect",
			{ status: 302, headers: { location: "https://elsewhere.example/x?secret=1" } },
			1,
			{ kind: "not_a_controller" },
		],
		[
			"an XML error",
			{
				status: 400,
				text: '<?xml version="1.0"?><imdata totalCount="1"><error code="122" text="class x not found"/></imdata>',
			},
			1,
			{ kind: "rejected", code: "122" },
		],
	])("%s", async (_, reply, asked, error) => {
		const bench = await setUp(() => reply);
		const failed = await captureRejection(bench.send());
		expect(failed).toMatchObject(error);
		expect(String(failed)).not.toMatch(/token-1|s3cret|secret=1/);
		expect(bench.asked().length).toBe(asked);
	});
});

test("the target of a redirect is told, and not visited", async () => {
	const { send, fake } = await setUp(() => ({ status: 307, headers: { location: "https://elsewhere.example/x" } }));
	expect(await captureRejection(send())).toMatchObject({
		message: expect.stringContaining("https://elsewhere.example"),
	});
	expect(fake.to("/x")).toEqual([]);
});

describe("a change", () => {
	test.each(["POST", "PUT", "DELETE"] as const)("by %s is never sent twice", async (method) => {
		for (const reply of [
			createHtmlReply(503),
			createHtmlReply(429),
			createHtmlReply(502),
			createHtmlReply(405),
			"drop",
			"cut",
			resolveTimeout,
		] satisfies Reply[]) {
			const { send, asked, slept } = await setUp(() => reply);
			await captureRejection(send({ method }));
			expect([asked().length, slept]).toEqual([1, []]);
		}
	});

	test("by a method that the controller does not know is its refusal", async () => {
		const { send } = await setUp(() => createHtmlReply(405));
		expect(await captureRejection(send({ method: "PUT" }))).toMatchObject({ kind: "rejected", status: 405 });
	});

	test("sends text as it is", async () => {
		const { driver, target, fake } = await setUp(() => createReply([]));
		await driver.request(target, { method: "POST", path: "/api/mo/uni.json", body: '{"polUni":{}}' });
		expect(fake.to("uni.json")[0]?.body).toBe('{"polUni":{}}');
	});
});

describe("repeating", () => {
	test("ends with the first good answer", async () => {
		const replies = [createHtmlReply(503), "drop" as const, createReply([], 4), { text: "{" }];
		const { send, asked } = await setUp(() => replies.shift() ?? createReply(createControllerObjects(4)));
		expect(await send()).toMatchObject({ status: 200, data: { totalCount: "4" } });
		expect(asked().length).toBe(5);
	});

	test("waits longer each time, between half and all of the interval", async () => {
		for (const [random, waits] of [
			[0, [150, 300, 600, 1200]],
			[0.5, [225, 450, 900, 1800]],
		] as const) {
			const { send, slept } = await setUp(() => createHtmlReply(503), { random: () => random });
			await captureRejection(send());
			expect(slept).toEqual(waits);
		}
	});

	test.each([
		["seconds", "7", 7_000],
		["a date", new Date(Date.UTC(2026, 0, 1) + 9_000).toUTCString(), 9_000],
		["more than is sensible", "86400", 30_000],
		["less than our own pace", "0", 225],
		["nonsense", "soon", 225],
	])("honours Retry-After in %s", async (_, value, wait) => {
		const { send, slept } = await setUp(() => ({ status: 503, headers: { "retry-after": value }, text: "<html>" }));
		await captureRejection(send());
		expect(slept[0]).toBe(wait);
	});
});

describe("an answer that is not a list is passed on", () => {
	test.each<[string, string, Reply, unknown]>([
		[
			"XML",
			"/api/class/fvBD.xml",
			{ headers: { "content-type": "text/xml" }, text: '<?xml version="1.0"?><imdata totalCount="0"/>' },
			'<?xml version="1.0"?><imdata totalCount="0"/>',
		],
		[
			"login domains",
			"/api/aaaListDomains.json",
			{ json: { totalCount: "1", imdata: [{ name: "DefaultAuth", type: "DefaultAuth" }] } },
			{ totalCount: "1", imdata: [{ name: "DefaultAuth", type: "DefaultAuth" }] },
		],
		["another object", "/api/x.json", { json: { hello: 1 } }, { hello: 1 }],
		["an array", "/api/x.json", { json: [1] }, [1]],
		["nothing", "/api/x.json", { status: 204 }, ""],
		[
			"an empty page",
			"/api/class/fvBD.json?page=9&page-size=10",
			createReply([], 50),
			{ totalCount: "50", imdata: [] },
		],
		[
			"fewer objects than announced",
			"/api/class/fvBD.json",
			createReply([{ a: 1 }], 7),
			{ totalCount: "7", imdata: [{ a: 1 }] },
		],
		[
			"no object with what is required",
			"/api/class/fvBD.json?rsp-subtree-include=faults,required",
			createReply([], 7),
			{ totalCount: "7", imdata: [] },
		],
		["no count", "/api/class/fvBD.json", createReply([], null), { imdata: [] }],
	])("%s", async (_, path, reply, data) => {
		const { send } = await setUp(() => reply);
		expect((await send({ path })).data).toEqual(data);
	});
});

test("one answer is limited", async () => {
	const rows = createControllerObjects(100);
	const { send, asked } = await setUp(() => createReply(rows), { maxBodyBytes: 1_048 });
	expect(await captureRejection(send())).toMatchObject({ kind: "too_big" });
	const chunked: Handler = () => ({ headers: { "transfer-encoding": "chunked" }, json: rows });
	const second = await setUp(chunked, { maxBodyBytes: 1_048 });
	expect(await captureRejection(second.send())).toMatchObject({ kind: "too_big" });
	expect([asked().length, second.asked().length]).toEqual([1, 1]);
});

test("a silent controller is given up after the connection's timeout, also within the answer", async () => {
	for (const reply of ["hang", "headers"] as const) {
		const bench = await setUp(() => (reply === "hang" ? "hang" : { headers: { "content-length": "99" }, text: "{" }));
		const pending = captureRejection(bench.send());
		await awaitCondition(() => bench.asked().length === 1);
		for (const expired of bench.deadlines) expired();
		expect(await pending).toMatchObject({ kind: "timeout", retryable: true, message: expect.stringContaining("5 s") });
		expect(bench.limits).toEqual([5_000, 5_000]);
		expect(bench.deadlines.size).toBe(0);
	}
});

test("time and traffic are told, and added to the caller's", async () => {
	const body = JSON.stringify({ totalCount: "0", imdata: [] });
	const bench = await setUp(() => {
		bench.clock.ms += 30;
		return { text: body };
	});
	const timings = { loginMs: 0, controllerMs: 0, localMs: 0, requests: 0, bytes: 0 };
	const request = { method: "GET", path: "/api/class/fvBD.json", timings } as const;
	expect((await bench.driver.request(bench.target, request)).timings).toBe(timings);
	const login = timings.bytes - body.length;
	expect(timings).toMatchObject({ loginMs: 0, controllerMs: 30, localMs: 0, requests: 2 });
	expect(login).toBeGreaterThan(100);
	await bench.driver.request(bench.target, request);
	expect(timings).toMatchObject({ controllerMs: 60, requests: 3, bytes: login + 2 * body.length });
});

test("a path that is not the controller's is not sent", async () => {
	const { send, fake } = await setUp(() => createReply([]));
	expect(await captureRejection(send({ path: "https://elsewhere.example/api/" }))).toMatchObject({ kind: "invalid" });
	expect(fake.seen).toEqual([]);
});
