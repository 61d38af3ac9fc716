import { describe, expect, test } from "vitest";
import {
	buildTarget,
	captureRejection,
	createControllerObjects,
	createErrorReply,
	createHtmlReply,
	createLoginReply,
	createReply,
	type Fake,
	type Handler,
	tokenTimeout,
	useBenches,
} from "../../../test/support/controllers.ts";

const setUp = useBenches();

const createCookie = (token: string) => [`APIC-cookie=${token}`];
const listCookies = (fake: Fake) => fake.to("fvBD.json").map((seen) => seen.cookies);
const createBdAnswer = () => createReply(createControllerObjects(1));

test("one login serves many requests at once, each with one cookie", async () => {
	const { fake, send } = await setUp(createBdAnswer);
	await Promise.all(Array.from({ length: 20 }, () => send()));
	expect(fake.to("aaaLogin.json")).toHaveLength(1);
	expect(JSON.parse(fake.to("aaaLogin.json")[0]?.body ?? "")).toEqual({
		aaaUser: { attributes: { name: "admin", pwd: "s3cret-pw" } },
	});
	expect(listCookies(fake)).toEqual(Array.from({ length: 20 }, () => createCookie("token-1")));
});

test("the answer's own cookie is not sent beside ours", async () => {
	const auth: Handler = ({ path }) => {
		if (!path.endsWith("aaaLogin.json")) return undefined;
		return { ...(createLoginReply("one") as object), headers: { "set-cookie": "APIC-cookie=one; path=/; HttpOnly" } };
	};
	const { fake, send } = await setUp(createBdAnswer, { auth });
	await send();
	await send();
	expect(listCookies(fake)).toEqual([createCookie("one"), createCookie("one")]);
});

describe("refresh", () => {
	test("happens at two thirds of the token's life, at the next use, once", async () => {
		const { fake, send, clock } = await setUp(createBdAnswer);
		await send();
		clock.ms += 399_000;
		await send();
		expect(fake.to("aaaRefresh.json")).toHaveLength(0);
		clock.ms += 1_000;
		await Promise.all([send(), send(), send()]);
		expect(fake.to("aaaRefresh.json").map((seen) => seen.cookies)).toEqual([createCookie("token-1")]);
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
		expect(listCookies(fake).slice(2)).toEqual([
			createCookie("token-2"),
			createCookie("token-2"),
			createCookie("token-2"),
		]);
	});

	test("is read under whatever class name it comes", async () => {
		const auth: Handler = ({ path }) =>
			path.endsWith("aaaRefresh.json") ? createLoginReply("new", {}, "aaaRefresh") : undefined;
		const { fake, send, clock } = await setUp(createBdAnswer, { auth });
		await send();
		clock.ms += 400_000;
		await send();
		expect(listCookies(fake)).toEqual([createCookie("token-1"), createCookie("new")]);
	});

	test.each([
		["a refusal", tokenTimeout],
		["a web page", createHtmlReply(500)],
		["a dropped connection", "drop" as const],
	])("that ends in %s is followed by a login", async (_, reply) => {
		const { fake, send, clock } = await setUp(createBdAnswer, {
			auth: ({ path }) => (path.endsWith("aaaRefresh.json") ? reply : undefined),
		});
		await send();
		clock.ms += 400_000;
		await send();
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
		expect(listCookies(fake)).toEqual([createCookie("token-1"), createCookie("token-2")]);
	});

	test.each([
		["the token is over", {}, 600_000],
		["the session is at its maximum age", { refreshTimeoutSeconds: "9600", maximumLifetimeSeconds: "3600" }, 3_600_000],
	])("is not tried when %s", async (_, attributes, ms) => {
		let logins = 0;
		const auth: Handler = ({ path }) => {
			if (!path.endsWith("aaaLogin.json")) return undefined;
			logins += 1;
			return createLoginReply(`login-${logins}`, attributes);
		};
		const { fake, send, clock } = await setUp(createBdAnswer, { auth });
		await send();
		clock.ms += ms;
		await send();
		expect(logins).toBe(2);
		expect(fake.to("aaaRefresh.json")).toHaveLength(0);
	});

	test("does not lengthen the session's maximum age", async () => {
		const short = { refreshTimeoutSeconds: "600", maximumLifetimeSeconds: "900" };
		let given = 0;
		const auth: Handler = ({ path }) => {
			given += 1;
			return /aaaLogin|aaaRefresh/.test(path) ? createLoginReply(`given-${given}`, short) : undefined;
		};
		const { fake, send, clock } = await setUp(createBdAnswer, { auth });
		await send();
		clock.ms += 500_000;
		await send();
		clock.ms += 400_000;
		await send();
		expect([fake.to("aaaLogin.json").length, fake.to("aaaRefresh.json").length]).toEqual([2, 1]);
	});
});

describe("a refused token", () => {
	/** Accepts tokens made after `revoke` only. */
	function createRevocableHandler(reply = tokenTimeout) {
		let revoked = "";
		return {
			revoke: (token: string) => {
				revoked = `APIC-cookie=${token}`;
			},
			handle: (({ cookies: [sent] }) => (sent === revoked ? reply : createBdAnswer())) satisfies Handler,
		};
	}

	test.each([
		["403 token timeout", tokenTimeout],
		[
			"403 without cookie",
			createErrorReply(403, "403", "Need a valid webtoken cookie (named APIC-Cookie) or a signed request."),
		],
		["401", createErrorReply(401, "401", "Session revoked")],
		["403 in an answer with 200", createErrorReply(200, "403", "Token was invalid (Error: Token timeout)")],
		["403 web page", createHtmlReply(403)],
		["401 web page", createHtmlReply(401)],
	])("as %s leads to one login for all and one more try each", async (_, reply) => {
		const { revoke, handle } = createRevocableHandler(reply);
		const { fake, send } = await setUp(handle);
		await send();
		revoke("token-1");
		await Promise.all([send(), send(), send(), send()]);
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
		expect(listCookies(fake).flat().sort()).toEqual([
			...Array.from({ length: 5 }, () => "APIC-cookie=token-1"),
			...Array.from({ length: 4 }, () => "APIC-cookie=token-2"),
		]);
	});

	test.each(["POST", "DELETE"] as const)("is replayed for %s too", async (method) => {
		const { revoke, handle } = createRevocableHandler();
		const { fake, send, driver } = await setUp(handle);
		await send();
		revoke("token-1");
		await driver.request(buildTarget(fake), { method, path: "/api/mo/uni/tn-x.json", body: { fvTenant: {} } });
		expect(fake.to("tn-x.json").map(({ method: sent, body }) => [sent, body])).toEqual([
			[method, '{"fvTenant":{}}'],
			[method, '{"fvTenant":{}}'],
		]);
	});

	test("refused again is an error", async () => {
		const { fake, send } = await setUp(() => tokenTimeout);
		expect(await captureRejection(send())).toMatchObject({ kind: "permission", status: 403, code: "403" });
		expect(fake.to("fvBD.json")).toHaveLength(2);
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test("is told from a missing right, which no login helps", async () => {
		const { fake, send } = await setUp(() =>
			createErrorReply(403, "403", "Access restricted: no privilege in domain all"),
		);
		expect(await captureRejection(send())).toMatchObject({ kind: "permission", status: 403 });
		expect(fake.to("fvBD.json")).toHaveLength(1);
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
	});
});

describe("a failed login", () => {
	const wrong = createErrorReply(401, "401", "Username or password is incorrect - FAILED local authentication");

	test("for wrong credentials is shared, not repeated, and tried again a minute later", async () => {
		const { fake, send, clock, slept } = await setUp(createBdAnswer, { auth: () => wrong });
		const errors = await Promise.all([captureRejection(send()), captureRejection(send()), captureRejection(send())]);
		errors.push(await captureRejection(send()));
		for (const error of errors) expect(error).toMatchObject({ kind: "credentials", status: 401 });
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
		expect(slept).toEqual([]);
		clock.ms += 60_000;
		await captureRejection(send());
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test("is forgiven when a test of the connection succeeds, and when the connection changes", async () => {
		let locked = true;
		const { fake, send, driver } = await setUp(createBdAnswer, { auth: () => (locked ? wrong : undefined) });
		await captureRejection(send());
		locked = false;
		await captureRejection(send());
		await driver.request(buildTarget(fake, { id: "c2", revision: "2" }), {
			method: "GET",
			path: "/api/class/fvBD.json",
		});
		expect(await driver.test(buildTarget(fake))).toMatchObject({ ok: true });
		expect(await send()).toMatchObject({ status: 200 });
	});

	test("for throttling or a dropped connection is repeated with pauses, once for all callers", async () => {
		const replies = [createHtmlReply(503), createHtmlReply(429), "drop" as const];
		const { fake, send, slept } = await setUp(createBdAnswer, {
			auth: ({ path }) => (path.endsWith("aaaLogin.json") ? replies.shift() : undefined),
		});
		await Promise.all([send(), send(), send()]);
		expect(fake.to("aaaLogin.json")).toHaveLength(4);
		expect(slept).toEqual([225, 450, 900]);
	});

	test("does not repeat the password back", async () => {
		const { send } = await setUp(createBdAnswer, {
			auth: () => createErrorReply(400, "400", 'invalid data: {"pwd":"s3cret-pw"}'),
		});
		const error = await captureRejection(send());
		expect(error).toMatchObject({ kind: "rejected", message: expect.stringContaining('{"pwd":"***"}') });
		expect(JSON.stringify([error, (error as Error).message])).not.toContain("s3cret");
	});

	test.each([
		["without a token", createReply([{ aaaLogin: { attributes: {} } }])],
		["with a token that forges headers", createLoginReply("a; APIC-cookie=b")],
		["of another service", { json: { hello: "world" } }],
		["as a web page", { headers: { "content-type": "text/html" }, text: "<!DOCTYPE html><html></html>" }],
	])("%s is not a controller's", async (_, reply) => {
		const { send } = await setUp(createBdAnswer, { auth: () => reply });
		expect(await captureRejection(send())).toMatchObject({ kind: "not_a_controller" });
	});
});

test("a login answer of 56 KB is read like any other", async () => {
	const domains = Array.from({ length: 400 }, (_, i) => ({
		aaaUserDomain: { attributes: { name: `domain-${i}`, rolesR: "x".repeat(80) } },
	}));
	const login = { aaaLogin: { attributes: { token: "big", version: "5.2(1g)" }, children: domains } };
	const { fake, send } = await setUp(createBdAnswer, {
		auth: ({ path }) => (path.endsWith("aaaLogin.json") ? createReply([login]) : undefined),
	});
	await send();
	expect(listCookies(fake)).toEqual([createCookie("big")]);
});
