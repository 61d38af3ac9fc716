import { describe, expect, test } from "vitest";
import {
	answer,
	buildTarget,
	type Fake,
	grant,
	type Handler,
	html,
	objects,
	refusal,
	rejected,
	tokenTimeout,
	useBenches,
} from "../../../test/support/controllers.ts";

const setUp = useBenches();

const cookie = (token: string) => [`APIC-cookie=${token}`];
const cookies = (fake: Fake) => fake.to("fvBD.json").map((seen) => seen.cookies);
const bds = () => answer(objects(1));

test("one login serves many requests at once, each with one cookie", async () => {
	const { fake, send } = await setUp(bds);
	await Promise.all(Array.from({ length: 20 }, () => send()));
	expect(fake.to("aaaLogin.json")).toHaveLength(1);
	expect(JSON.parse(fake.to("aaaLogin.json")[0]?.body ?? "")).toEqual({
		aaaUser: { attributes: { name: "admin", pwd: "s3cret-pw" } },
	});
	expect(cookies(fake)).toEqual(Array.from({ length: 20 }, () => cookie("token-1")));
});

test("the answer's own cookie is not sent beside ours", async () => {
	const auth: Handler = ({ path }) => {
		if (!path.endsWith("aaaLogin.json")) return undefined;
		return { ...(grant("one") as object), headers: { "set-cookie": "APIC-cookie=one; path=/; HttpOnly" } };
	};
	const { fake, send } = await setUp(bds, { auth });
	await send();
	await send();
	expect(cookies(fake)).toEqual([cookie("one"), cookie("one")]);
});

describe("refresh", () => {
	test("happens at two thirds of the token's life, at the next use, once", async () => {
		const { fake, send, clock } = await setUp(bds);
		await send();
		clock.ms += 399_000;
		await send();
		expect(fake.to("aaaRefresh.json")).toHaveLength(0);
		clock.ms += 1_000;
		await Promise.all([send(), send(), send()]);
		expect(fake.to("aaaRefresh.json").map((seen) => seen.cookies)).toEqual([cookie("token-1")]);
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
		expect(cookies(fake).slice(2)).toEqual([cookie("token-2"), cookie("token-2"), cookie("token-2")]);
	});

	test("is read under whatever class name it comes", async () => {
		const auth: Handler = ({ path }) => (path.endsWith("aaaRefresh.json") ? grant("new", {}, "aaaRefresh") : undefined);
		const { fake, send, clock } = await setUp(bds, { auth });
		await send();
		clock.ms += 400_000;
		await send();
		expect(cookies(fake)).toEqual([cookie("token-1"), cookie("new")]);
	});

	test.each([
		["a refusal", tokenTimeout],
		["a web page", html(500)],
		["a dropped connection", "drop" as const],
	])("that ends in %s is followed by a login", async (_, reply) => {
		const { fake, send, clock } = await setUp(bds, {
			auth: ({ path }) => (path.endsWith("aaaRefresh.json") ? reply : undefined),
		});
		await send();
		clock.ms += 400_000;
		await send();
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
		expect(cookies(fake)).toEqual([cookie("token-1"), cookie("token-2")]);
	});

	test.each([
		["the token is over", {}, 600_000],
		["the session is at its maximum age", { refreshTimeoutSeconds: "9600", maximumLifetimeSeconds: "3600" }, 3_600_000],
	])("is not tried when %s", async (_, attributes, ms) => {
		let logins = 0;
		const auth: Handler = ({ path }) => {
			if (!path.endsWith("aaaLogin.json")) return undefined;
			logins += 1;
			return grant(`login-${logins}`, attributes);
		};
		const { fake, send, clock } = await setUp(bds, { auth });
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
			return /aaaLogin|aaaRefresh/.test(path) ? grant(`given-${given}`, short) : undefined;
		};
		const { fake, send, clock } = await setUp(bds, { auth });
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
	function revocable(reply = tokenTimeout) {
		let revoked = "";
		return {
			revoke: (token: string) => {
				revoked = `APIC-cookie=${token}`;
			},
			handle: (({ cookies: [sent] }) => (sent === revoked ? reply : bds())) satisfies Handler,
		};
	}

	test.each([
		["403 token timeout", tokenTimeout],
		[
			"403 without cookie",
			refusal(403, "403", "Need a valid webtoken cookie (named APIC-Cookie) or a signed request."),
		],
		["401", refusal(401, "401", "Session revoked")],
		["403 in an answer with 200", refusal(200, "403", "Token was invalid (Error: Token timeout)")],
		["403 web page", html(403)],
		["401 web page", html(401)],
	])("as %s leads to one login for all and one more try each", async (_, reply) => {
		const { revoke, handle } = revocable(reply);
		const { fake, send } = await setUp(handle);
		await send();
		revoke("token-1");
		await Promise.all([send(), send(), send(), send()]);
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
		expect(cookies(fake).flat().sort()).toEqual([
			...Array.from({ length: 5 }, () => "APIC-cookie=token-1"),
			...Array.from({ length: 4 }, () => "APIC-cookie=token-2"),
		]);
	});

	test.each(["POST", "DELETE"] as const)("is replayed for %s too", async (method) => {
		const { revoke, handle } = revocable();
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
		expect(await rejected(send())).toMatchObject({ kind: "permission", status: 403, code: "403" });
		expect(fake.to("fvBD.json")).toHaveLength(2);
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test("is told from a missing right, which no login helps", async () => {
		const { fake, send } = await setUp(() => refusal(403, "403", "Access restricted: no privilege in domain all"));
		expect(await rejected(send())).toMatchObject({ kind: "permission", status: 403 });
		expect(fake.to("fvBD.json")).toHaveLength(1);
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
	});
});

describe("a failed login", () => {
	const wrong = refusal(401, "401", "Username or password is incorrect - FAILED local authentication");

	test("for wrong credentials is shared, not repeated, and tried again a minute later", async () => {
		const { fake, send, clock, slept } = await setUp(bds, { auth: () => wrong });
		const errors = await Promise.all([rejected(send()), rejected(send()), rejected(send())]);
		errors.push(await rejected(send()));
		for (const error of errors) expect(error).toMatchObject({ kind: "credentials", status: 401 });
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
		expect(slept).toEqual([]);
		clock.ms += 60_000;
		await rejected(send());
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test("is forgiven when a test of the connection succeeds, and when the connection changes", async () => {
		let locked = true;
		const { fake, send, driver } = await setUp(bds, { auth: () => (locked ? wrong : undefined) });
		await rejected(send());
		locked = false;
		await rejected(send());
		await driver.request(buildTarget(fake, { id: "c2", revision: "2" }), {
			method: "GET",
			path: "/api/class/fvBD.json",
		});
		expect(await driver.test(buildTarget(fake))).toMatchObject({ ok: true });
		expect(await send()).toMatchObject({ status: 200 });
	});

	test("for throttling or a dropped connection is repeated with pauses, once for all callers", async () => {
		const replies = [html(503), html(429), "drop" as const];
		const { fake, send, slept } = await setUp(bds, {
			auth: ({ path }) => (path.endsWith("aaaLogin.json") ? replies.shift() : undefined),
		});
		await Promise.all([send(), send(), send()]);
		expect(fake.to("aaaLogin.json")).toHaveLength(4);
		expect(slept).toEqual([225, 450, 900]);
	});

	test("does not repeat the password back", async () => {
		const { send } = await setUp(bds, { auth: () => refusal(400, "400", 'invalid data: {"pwd":"s3cret-pw"}') });
		const error = await rejected(send());
		expect(error).toMatchObject({ kind: "rejected", message: expect.stringContaining('{"pwd":"***"}') });
		expect(JSON.stringify([error, (error as Error).message])).not.toContain("s3cret");
	});

	test.each([
		["without a token", answer([{ aaaLogin: { attributes: {} } }])],
		["with a token that forges headers", grant("a; APIC-cookie=b")],
		["of another service", { json: { hello: "world" } }],
		["as a web page", { headers: { "content-type": "text/html" }, text: "<!DOCTYPE html><html></html>" }],
	])("%s is not a controller's", async (_, reply) => {
		const { send } = await setUp(bds, { auth: () => reply });
		expect(await rejected(send())).toMatchObject({ kind: "not_a_controller" });
	});
});

test("a login answer of 56 KB is read like any other", async () => {
	const domains = Array.from({ length: 400 }, (_, i) => ({
		aaaUserDomain: { attributes: { name: `domain-${i}`, rolesR: "x".repeat(80) } },
	}));
	const login = { aaaLogin: { attributes: { token: "big", version: "5.2(1g)" }, children: domains } };
	const { fake, send } = await setUp(bds, {
		auth: ({ path }) => (path.endsWith("aaaLogin.json") ? answer([login]) : undefined),
	});
	await send();
	expect(cookies(fake)).toEqual([cookie("big")]);
});
