/** Settings: defaults, every error at once, nothing secret in an error. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";
import { DEFAULT_RATES } from "./core/http/throttle.ts";
import { SETTING_GROUPS } from "./settings.ts";

const getErrors = (environment: Record<string, string>): string => {
	try {
		readConfig(environment);
	} catch (error) {
		if (error instanceof ConfigError) return error.message;
		throw error;
	}
	return "";
};

describe("settings", () => {
	it("have the documented defaults", () => {
		const config = readConfig({});
		expect(config).toMatchObject({
			host: "127.0.0.1",
			port: 8080,
			databaseUrl: null,
			redisUrl: null,
			secretKeys: [],
			admin: { username: "admin", password: null },
			trustedProxies: "loopback",
			docs: true,
			logLevel: "info",
			rates: DEFAULT_RATES,
			unknown: [],
		});
		expect(config.dataDir).toMatch(/\/data$/);
		expect([...config.roles]).toEqual(["web", "worker"]);
	});

	it("bring a base path into its form, and refuse what would hide the API", () => {
		expect(readConfig({}).basePath).toBe("/");
		for (const text of ["weft", "/weft", "weft/", "/weft/"])
			expect(readConfig({ WEFT_BASE_PATH: text }).basePath).toBe("/weft/");
		expect(readConfig({ WEFT_BASE_PATH: "/tools/weft" }).basePath).toBe("/tools/weft/");
		for (const wrong of ["/api", "ws/x", "/a b/", "https://x/", "/a?b"]) {
			expect(getErrors({ WEFT_BASE_PATH: wrong })).toContain("WEFT_BASE_PATH");
		}
	});

	it("read rates by scope, and switch them off", () => {
		expect(readConfig({ WEFT_THROTTLE: "off" }).rates).toMatchObject({ user: null, anon: null });
		const { rates } = readConfig({ WEFT_THROTTLE_USER: "5/s", WEFT_THROTTLE_LOGIN: "off", WEFT_THROTTLE_ANON: "7/h" });
		expect(rates.user).toEqual({ requests: 5, windowMs: 1_000 });
		expect(rates.login).toBeNull();
		expect(rates.anon).toEqual({ requests: 7, windowMs: 3_600_000 });
		const one = readConfig({ WEFT_THROTTLE: "off", WEFT_THROTTLE_USER: "9/min" }).rates;
		expect(one).toMatchObject({ user: { requests: 9, windowMs: 60_000 }, anon: null });
	});

	it("switch metrics on by a token or a port", () => {
		expect(readConfig({}).metrics).toBeNull();
		expect(readConfig({ WEFT_METRICS_TOKEN: "sixteen characters" }).metrics).toEqual({
			token: "sixteen characters",
			port: null,
		});
		expect(readConfig({ WEFT_METRICS_PORT: "9100" }).metrics).toEqual({ token: null, port: 9100 });
		expect(getErrors({ WEFT_METRICS_TOKEN: "short" })).toContain("WEFT_METRICS_TOKEN");
		expect(getErrors({ WEFT_METRICS_PORT: "many" })).toContain("WEFT_METRICS_PORT");
	});

	it("reads trusted proxies as a number, networks or host names", () => {
		const read = (text: string) => readConfig({ WEFT_TRUSTED_PROXIES: text }).trustedProxies;
		expect(read("2")).toBe(2);
		expect(read("10.1.0.0/16, Proxy.example.net,fd00::7")).toEqual(["10.1.0.0/16", "proxy.example.net", "fd00::7"]);
		for (const text of ["ingress", "10.1.0.0/33", "-x.example.net", "10.1.2.3.4", "loopback,10.1.0.1", "a.example,"])
			expect(getErrors({ WEFT_TRUSTED_PROXIES: text })).toContain("WEFT_TRUSTED_PROXIES");
	});

	it("report everything that is wrong at once, by name", () => {
		const message = getErrors({
			WEFT_PORT: "70000",
			WEFT_ROLES: "web,cook",
			WEFT_DATABASE_URL: "mysql://x",
			WEFT_REDIS_URL: "nonsense",
			WEFT_TRUSTED_PROXIES: "some",
			WEFT_THROTTLE: "maybe",
			WEFT_THROTTLE_USER: "lots",
			WEFT_LOG_LEVEL: "loud",
			WEFT_ADMIN_USERNAME: "a",
			WEFT_ADMIN_PASSWORD: "short",
			WEFT_FRONTEND_URL: "ftp://x",
			WEFT_SMTP_URL: "http://x",
			WEFT_SMTP_FROM: "nobody",
		});
		for (const name of [
			"PORT",
			"ROLES",
			"DATABASE_URL",
			"REDIS_URL",
			"TRUSTED_PROXIES",
			"THROTTLE",
			"THROTTLE_USER",
			"LOG_LEVEL",
			"ADMIN_USERNAME",
			"ADMIN_PASSWORD",
			"FRONTEND_URL",
			"SMTP_URL",
			"SMTP_FROM",
		]) {
			expect(message).toMatch(new RegExp(`- WEFT_${name} `));
		}
	});

	it("need a key with an external store, and never repeat a secret", () => {
		expect(getErrors({ WEFT_DATABASE_URL: "postgres://u:hunter2@h/d" })).toMatch(/WEFT_SECRET_KEY is needed/);
		const message = getErrors({
			WEFT_DATABASE_URL: "hunter2://u",
			WEFT_SECRET_KEY: "hunter2",
			WEFT_ADMIN_PASSWORD: "hunter2",
		});
		expect(message).not.toContain("hunter2");
		expect(
			readConfig({ WEFT_DATABASE_URL: "postgres://h/d", WEFT_SECRET_KEY: "0123456789abcdef" }).secretKeys,
		).toHaveLength(1);
	});

	it("send mail only with a server and a sender", () => {
		expect(readConfig({}).smtp).toBeNull();
		expect(readConfig({ WEFT_SMTP_FROM: "weft@example.com" }).smtp).toBeNull();
		const smtp = { WEFT_SMTP_URL: "smtp://u:p@mail:587", WEFT_SMTP_FROM: "weft@example.com" };
		expect(readConfig(smtp).smtp).toEqual({ url: smtp.WEFT_SMTP_URL, from: smtp.WEFT_SMTP_FROM });
		expect(getErrors({ WEFT_SMTP_URL: "smtp://u:hunter2@mail" })).toMatch(/^(?!.*hunter2).*WEFT_SMTP_FROM is needed/s);
	});

	it("let webhooks go to the internet, to named networks, or nowhere", () => {
		const targets = (text?: string) =>
			readConfig(text === undefined ? {} : { WEFT_WEBHOOK_TARGETS: text }).webhookTargets;
		expect(targets()).toEqual({ public: true, networks: [] });
		expect(targets("10.1.0.0/16, fd00::/8")).toEqual({ public: false, networks: ["10.1.0.0/16", "fd00::/8"] });
		expect(targets("public,127.0.0.1")).toEqual({ public: true, networks: ["127.0.0.1"] });
		expect(targets("off")).toBeNull();
		for (const wrong of ["on", "10.0.0.0/40", "example.com", "public,off"])
			expect(getErrors({ WEFT_WEBHOOK_TARGETS: wrong })).toContain("WEFT_WEBHOOK_TARGETS must be");
	});

	it.each([
		["WEFT_CONTROLLER_TARGETS", "controllerTargets"],
		["WEFT_AUTOMATION_TARGETS", "automationTargets"],
	] as const)("%s: let connections go everywhere but to this host, or to named networks only", (name, field) => {
		expect(readConfig({})[field]).toBeNull();
		expect(readConfig({ [name]: "10.0.0.0/8, ::1/128" })[field]).toEqual(["10.0.0.0/8", "::1/128"]);
		for (const wrong of ["public", "off", "10.0.0.0/40", "apic.example.com", "10.0.0.0/8,"])
			expect(getErrors({ [name]: wrong })).toContain(`${name} must be networks`);
	});

	it("name what looks like a setting and is none", () => {
		expect(readConfig({ WEFT_PROT: "1", HOME: "/" }).unknown).toEqual(["WEFT_PROT"]);
	});

	it("say where class documents come from: the maker's site, another one, or a folder", () => {
		const { model } = readConfig({});
		expect(model).toMatchObject({ folder: null });
		expect(model.versions.map(({ key }) => key)).toEqual(["611", "601", "521"]);
		expect(new Set(model.versions.map(({ url }) => url)).size).toBe(1);
		expect(model.versions[0]?.url).toMatch(/^https:/);
		const mirror = readConfig({
			WEFT_MODEL_SOURCE_URL: "http://mirror.lab/base/",
			WEFT_MODEL_SOURCE_DIR: "/srv/documents",
		});
		expect(mirror.model.folder).toBe("/srv/documents");
		expect(mirror.model.versions.map(({ url }) => url)).toEqual(Array(3).fill("http://mirror.lab/base"));
		const own = [
			{ key: "62", label: "6.2", fallback_chain: ["611"] },
			{ key: "611", label: "6.1(1)" },
		];
		expect(readConfig({ WEFT_MODEL_VERSIONS: JSON.stringify(own) }).model.versions).toMatchObject([
			{ key: "62", label: "6.2", fallbackChain: ["611"] },
			{ key: "611", label: "6.1(1)", fallbackChain: [] },
		]);
		for (const versions of [
			"{",
			"[]",
			'[{"key": "a b", "label": "x"}]',
			'[{"key": "1"}]',
			JSON.stringify([own[1], own[1]]),
		])
			expect(getErrors({ WEFT_MODEL_VERSIONS: versions }), versions).toMatch(/WEFT_MODEL_VERSIONS /);
	});

	it("read a directory, with what is usual where nothing is said", () => {
		expect(readConfig({}).ldap).toBeNull();
		const base = { WEFT_LDAP_URI: "ldaps://directory.example.com", WEFT_LDAP_USER_BASE: "ou=people,dc=x" };
		expect(readConfig(base).ldap).toEqual({
			uri: "ldaps://directory.example.com",
			startTls: false,
			caFile: null,
			bind: null,
			userBase: "ou=people,dc=x",
			userFilter: "(uid={username})",
			groupBase: null,
			groupFilter: "(|(member={dn})(uniqueMember={dn})(memberUid={username}))",
			attributes: { username: "uid", email: "mail", first_name: "givenName", last_name: "sn" },
			groupMap: {},
			adminGroup: null,
		});
		const { ldap, unknown } = readConfig({
			...base,
			WEFT_LDAP_BIND_DN: "cn=weft",
			WEFT_LDAP_BIND_PASSWORD: "secret",
			WEFT_LDAP_ATTRIBUTES: "username=sAMAccountName, email=userPrincipalName",
			WEFT_LDAP_GROUP_MAP: '{"cn=net,dc=x": "Editor", "ops": ["Operator", "Viewer"]}',
			WEFT_LDAP_ADMIN_GROUP: "cn=bosses,dc=x",
		});
		expect(unknown).toEqual([]);
		expect(ldap).toMatchObject({
			bind: { dn: "cn=weft", password: "secret" },
			attributes: { username: "sAMAccountName", email: "userPrincipalName", first_name: "givenName" },
			groupMap: { "cn=net,dc=x": ["Editor"], ops: ["Operator", "Viewer"] },
			adminGroup: "cn=bosses,dc=x",
		});
	});

	it("say what is wrong with a directory's, and never its password", () => {
		const message = getErrors({
			WEFT_LDAP_URI: "http://u:hunter2@x",
			WEFT_LDAP_START_TLS: "yes",
			WEFT_LDAP_BIND_PASSWORD: "hunter2",
			WEFT_LDAP_USER_FILTER: "uid=x",
			WEFT_LDAP_GROUP_FILTER: "(member=x)",
			WEFT_LDAP_ATTRIBUTES: "shoe_size=42",
			WEFT_LDAP_GROUP_MAP: "[1]",
		});
		for (const name of "URI START_TLS BIND_DN USER_BASE USER_FILTER GROUP_FILTER ATTRIBUTES GROUP_MAP".split(" ")) {
			expect(message, name).toMatch(new RegExp(`- WEFT_LDAP_${name} `));
		}
		expect(message).not.toContain("hunter2");
	});

	it("read an identity provider, with what is usual where nothing is said", () => {
		expect(readConfig({}).oidc).toBeNull();
		const base = {
			WEFT_FRONTEND_URL: "https://weft.example.com/",
			WEFT_OIDC_ISSUER: "https://login.example.com/realm",
			WEFT_OIDC_CLIENT_ID: "weft",
			WEFT_OIDC_CLIENT_SECRET: "hunter2",
		};
		expect(readConfig(base).oidc).toEqual({
			issuer: "https://login.example.com/realm",
			clientId: "weft",
			clientSecret: "hunter2",
			scopes: "openid profile email",
			usernameClaim: "preferred_username",
			groupsClaim: "groups",
			groupMap: {},
			adminGroup: null,
			label: "single sign-on",
		});
		const { oidc, unknown } = readConfig({
			...base,
			WEFT_OIDC_ISSUER: "http://127.0.0.1:9000",
			WEFT_OIDC_SCOPES: "openid, groups",
			WEFT_OIDC_USERNAME_CLAIM: "upn",
			WEFT_OIDC_GROUPS_CLAIM: "https://example.com/roles",
			WEFT_OIDC_GROUP_MAP: '{"net": "Editor"}',
			WEFT_OIDC_ADMIN_GROUP: "bosses",
			WEFT_OIDC_LABEL: "Example",
		});
		expect(unknown).toEqual([]);
		expect(oidc).toMatchObject({
			scopes: "openid groups",
			usernameClaim: "upn",
			groupsClaim: "https://example.com/roles",
			groupMap: { net: ["Editor"] },
			adminGroup: "bosses",
			label: "Example",
		});
	});

	it("say what is wrong with an identity provider's, and never its secret", () => {
		const message = getErrors({
			WEFT_OIDC_ISSUER: "http://u:hunter2@login.example.com",
			WEFT_OIDC_SCOPES: "profile",
			WEFT_OIDC_USERNAME_CLAIM: "a claim",
			WEFT_OIDC_GROUPS_CLAIM: "a claim",
			WEFT_OIDC_GROUP_MAP: "[1]",
			WEFT_OIDC_LABEL: "x".repeat(61),
		});
		const names = "ISSUER CLIENT_ID CLIENT_SECRET SCOPES USERNAME_CLAIM GROUPS_CLAIM GROUP_MAP LABEL".split(" ");
		for (const name of names) expect(message, name).toMatch(new RegExp(`- WEFT_OIDC_${name} `));
		expect(message).toMatch(/- WEFT_FRONTEND_URL is needed with WEFT_OIDC_ISSUER/);
		expect(message).not.toContain("hunter2");
		for (const issuer of ["http://login.example.com", "ftp://x", "https://x/?a=b", "http://127.0.0.1.example.com"])
			expect(getErrors({ WEFT_OIDC_ISSUER: issuer }), issuer).toMatch(/- WEFT_OIDC_ISSUER /);
	});
});

describe("secrets in files", () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-secrets-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	function writeTestFile(name: string, text: string): string {
		const path = join(folder, name);
		writeFileSync(path, text);
		return path;
	}
	const settings = SETTING_GROUPS.flatMap(({ settings }) => settings);
	const pattern = /^(?!WEFT_THROTTLE).*(PASSWORD|SECRET|TOKEN$|KEY$|DATABASE_URL|REDIS_URL|SMTP_URL|PROXY$)/;
	const secrets = settings.filter(({ name }) => pattern.test(name));

	it.each(secrets)("$name is read from a file", ({ name, example, needs = {} }) => {
		const { [name]: _, ...others } = needs as Record<string, string>;
		const read = readConfig({ ...others, [`${name}_FILE`]: writeTestFile(name, `${example}\n`) });
		expect(read).toEqual(readConfig({ ...others, [name]: example }));
	});

	it("are at least ten, and no other setting has a file", () => {
		expect(secrets.length).toBeGreaterThanOrEqual(10);
		expect(
			readConfig({ WEFT_HOST_FILE: "/etc/hostname", WEFT_PASSWORD_FILE: writeTestFile("p", "x") }).unknown,
		).toEqual(["WEFT_HOST_FILE"]);
	});

	it("are refused where the file is missing or empty, or the setting is there twice, without their content", () => {
		const path = writeTestFile("metrics", "s3cret-of-metrics-0123");
		const text = getErrors({
			WEFT_METRICS_TOKEN: "another-s3cret-0123",
			WEFT_METRICS_TOKEN_FILE: path,
			WEFT_SECRET_KEY_FILE: join(folder, "missing"),
			WEFT_ADMIN_PASSWORD_FILE: writeTestFile("empty", "\n"),
		});
		expect(text).toContain("WEFT_METRICS_TOKEN and WEFT_METRICS_TOKEN_FILE are both set");
		expect(text).toMatch(/WEFT_SECRET_KEY_FILE: .*missing cannot be read \(ENOENT\)/);
		expect(text).toMatch(/WEFT_ADMIN_PASSWORD_FILE: .*empty is empty/);
		expect(text).not.toContain("s3cret");
	});
});
