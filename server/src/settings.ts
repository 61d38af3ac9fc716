/** Every setting: known to the reader of the environment, and described in docs/settings.md. */
import { DEFAULT_RATES } from "./core/http/throttle.ts";
import { OIDC_NEEDS, type Setting, type SettingGroup, SIGN_IN_SETTINGS } from "./settings-sign-in.ts";

const DATABASE_NEEDS = { WEFT_SECRET_KEY: "rB3xWm9Kf0TqLz7Yc2Vn5Hs8Jd4Gp6Ea" };

export const SETTING_GROUPS: readonly SettingGroup[] = [
	{
		title: "Service and store",
		settings: [
			{ name: "WEFT_HOST", fallback: "`127.0.0.1`", meaning: "Address to listen on", example: "0.0.0.0" },
			{ name: "WEFT_PORT", fallback: "`8080`", meaning: "Port to listen on; `0` takes a free one", example: "8443" },
			{
				name: "WEFT_DATA_DIR",
				fallback: "`./data`",
				meaning: "Folder of the embedded store, the secret key and the store's log",
				example: "/var/lib/weft",
			},
			{
				name: "WEFT_DATABASE_URL",
				isSecret: true,
				fallback: "the embedded store",
				meaning: "PostgreSQL 15 or newer",
				example: "postgres://weft:password@db.example.net/weft",
				needs: DATABASE_NEEDS,
			},
			{
				name: "WEFT_DATABASE_POOL",
				fallback: "`20`",
				meaning: "Connections of one process to that PostgreSQL",
				example: "40",
			},
			{
				name: "WEFT_REDIS_URL",
				isSecret: true,
				fallback: "in process",
				meaning: "Redis or Valkey; needed when several processes form one service",
				example: "redis://redis.example.net:6379",
			},
			{
				name: "WEFT_ROLES",
				fallback: "`web,worker`",
				meaning: "Roles of this process: serve requests, run background jobs, or both",
				example: "worker",
			},
			{
				name: "WEFT_SECRET_KEY",
				isSecret: true,
				fallback: "with the embedded store: generated once, stored in the data folder with mode 600",
				meaning:
					"Encrypts stored secrets and signs tokens. Required with `WEFT_DATABASE_URL`, the same for every process. " +
					"Several keys with commas: the first one encrypts, the others only decrypt",
				example: DATABASE_NEEDS.WEFT_SECRET_KEY,
			},
			{
				name: "WEFT_ADMIN_USERNAME",
				fallback: "`admin`",
				meaning: "The first user, created if there is none",
				example: "root",
			},
			{
				name: "WEFT_ADMIN_PASSWORD",
				isSecret: true,
				fallback: "random, printed once",
				meaning: "The first user's password",
				example: "correct-horse-battery",
			},
			{
				name: "WEFT_TOKEN_MAX_DAYS",
				fallback: "no bound",
				meaning:
					"Longest life of an API token, in days. A token created without an expiry ends after 90 days, or after these if they are fewer",
				example: "90",
			},
			{
				name: "WEFT_ACCOUNT_RECHECK_DAYS",
				fallback: "off",
				meaning:
					"Days after which Weft checks that the person of an account still exists. Weft asks the directory for each of its " +
					"accounts in this interval; an account of the identity provider is gone after this time without a sign-in. The " +
					"sessions and API tokens of a gone account end",
				example: "30",
			},
			{
				name: "WEFT_REQUIRE_MFA",
				fallback: "nobody",
				meaning:
					"Accounts that need a second factor: `administrators`, `approvers` (who may approve automation requests), `all`, or several " +
					"with commas. Local and directory accounts without one can only set it up",
				example: "administrators,approvers",
			},
			{
				name: "WEFT_RESULT_DAYS",
				fallback: "`7`",
				meaning: "Retention of the rows of runs, in days. Snapshots have their own retention",
				example: "30",
			},
			{
				name: "WEFT_CHANGES_DAYS",
				fallback: "`90`",
				meaning: "Retention of the feed of changes, in days. It is independent of that of snapshots",
				example: "365",
			},
		],
	},
	{
		title: "Addresses",
		settings: [
			{
				name: "WEFT_FRONTEND_URL",
				fallback: "unset: no mail with a link is sent",
				meaning: "Address of the web interface, used for links in mails and by single sign-on",
				example: OIDC_NEEDS.WEFT_FRONTEND_URL,
			},
			{
				name: "WEFT_BASE_PATH",
				fallback: "`/`",
				meaning: "Path under which a proxy publishes Weft; the proxy may strip it or not",
				example: "/weft/",
			},
			{
				name: "WEFT_TRUSTED_PROXIES",
				fallback: "`loopback`",
				meaning:
					"Whose `X-Forwarded-For` is trusted: `loopback` (a proxy on this host), the number of proxies, `0` " +
					"(none), or the proxies' networks and host names, which are resolved every 5 s",
				example: "10.20.0.7",
			},
			{
				name: "WEFT_CONTROLLER_TARGETS",
				fallback: "every address but those of this host",
				meaning:
					"Networks that connections to controllers may lead to; no others then. This host needs " +
					"`127.0.0.0/8,::1/128`. Link-local and cloud metadata addresses are always refused",
				example: "10.0.0.0/8,fd00::/8",
			},
			{
				name: "WEFT_AUTOMATION_TARGETS",
				fallback: "every address but those of this host",
				meaning: "The same for connections to automation servers",
				example: "10.0.0.0/8,fd00::/8",
			},
			{
				name: "WEFT_WEBHOOK_TARGETS",
				fallback: "`public`",
				meaning:
					"Targets of outgoing webhooks: `public` (internet addresses), networks, or `off`; see " +
					"[notifications](notifications.md)",
				example: "public,10.1.0.0/16",
			},
			{
				name: "WEFT_OUTGOING_PROXY",
				isSecret: true,
				fallback: "`HTTPS_PROXY`, `HTTP_PROXY`",
				meaning:
					"Web proxy to webhooks, Slack, Teams, the identity provider and the site with the class model; `off` ignores the other " +
					"variables. `NO_PROXY` holds with all of them. Controllers and automation servers are connected to directly; see " +
					"[operations](operations.md)",
				example: "http://proxy.example.net:3128",
			},
			{
				name: "WEFT_MAIL_DOMAINS",
				fallback: "none",
				meaning: "Domains, with commas, that scheduled tasks may send mail to; addresses of users are always allowed",
				example: "example.net,example.com",
			},
		],
	},
	{
		title: "Mail",
		settings: [
			{
				name: "WEFT_SMTP_URL",
				isSecret: true,
				fallback: "unset: no mail",
				meaning:
					"Mail server: `smtp://` (STARTTLS where offered; `?requireTLS=true` insists) or `smtps://`, with user and password",
				example: "smtp://weft:password@mail.example.net:587",
				needs: { WEFT_SMTP_FROM: "weft@example.net" },
			},
			{
				name: "WEFT_SMTP_FROM",
				fallback: "required with `WEFT_SMTP_URL`",
				meaning: "Sender's address",
				example: "weft@example.net",
				needs: { WEFT_SMTP_URL: "smtp://mail.example.net" },
			},
		],
	},
	...SIGN_IN_SETTINGS,
	{
		title: "Class model",
		settings: [
			{
				name: "WEFT_MODEL_SOURCE_URL",
				fallback: "the site where the vendor publishes the class documents",
				meaning: "Base address of the class documents, such as a mirror inside your network",
				example: "https://mirror.example.net/model",
			},
			{
				name: "WEFT_MODEL_SOURCE_DIR",
				fallback: "unset: the documents are fetched",
				meaning: "Folder with the documents instead, for a host without internet",
				example: "/srv/model",
			},
			{
				name: "WEFT_MODEL_VERSIONS",
				fallback: "`6.1(1)`, `6.0(1)`, `5.2(1)`",
				meaning:
					"Versions that can be imported, as a JSON list of `{key, label, url?, fallback_chain?, class_count?, notes?}`. " +
					"`fallback_chain` names versions that are asked for a class which this one lacks",
				example: '[{"key": "611", "label": "6.1(1)", "fallback_chain": ["521"]}]',
			},
			{
				name: "WEFT_MODEL_CONCURRENCY",
				fallback: "`4`",
				meaning: "Documents fetched at the same time (1 to 10), unless an import sets its own",
				example: "8",
			},
		],
	},
	{
		title: "Automation",
		settings: [
			{
				name: "WEFT_AUTOMATION_WEBHOOK_SECRET",
				isSecret: true,
				fallback: "none: jobs are polled",
				meaning:
					"Shared secret that the automation server sends in the header `X-Automation-Webhook-Signature`; at least 32 " +
					"characters. It is readable on that server, so use it for nothing else. Two, with a comma, during a change",
				example: "q8Tn3Vb6Xz1Lk9Rw4Jm7Hs2Yd5Pf0Gc3",
			},
			{
				name: "WEFT_AUTOMATION_RUNNING_MAX",
				fallback: "`500`",
				meaning: "Automation jobs of all users that may be open at the same time",
				example: "50",
			},
		],
	},
	{
		title: "Monitoring and limits",
		settings: [
			{
				name: "WEFT_METRICS_TOKEN",
				isSecret: true,
				fallback: "unset: off",
				meaning: "Serves Prometheus metrics at `/metrics` on the service's port, for `Authorization: Bearer TOKEN`",
				example: "4mZq7Xn2Ld9Kt5Vb",
			},
			{
				name: "WEFT_METRICS_PORT",
				fallback: "unset: off",
				meaning: "Serves `/metrics` without a token on this port, also on processes without the web role",
				example: "9464",
			},
			{
				name: "WEFT_LOG_LEVEL",
				fallback: "`info`",
				meaning: "`debug`, `info`, `warn`, `error` or `silent`; logs are JSON lines on standard error",
				example: "warn",
			},
			{
				name: "WEFT_DOCS",
				fallback: "`on`",
				meaning: "`off` removes `/api/schema/`, `/api/docs/` and `/api/redoc/`",
				example: "off",
			},
			{ name: "WEFT_THROTTLE", fallback: "`on`", meaning: "`off` disables all request rates", example: "off" },
			...Object.entries(DEFAULT_RATES).map(
				([scope, { requests, windowMs }]): Setting => ({
					name: rateSetting(scope),
					fallback: `\`${requests}/${windowMs === 60_000 ? "min" : "h"}\``,
					meaning: `Requests of the scope \`${scope}\` in a time (\`s\`, \`min\`, \`h\`, \`day\`), or \`off\``,
					example: "500/min",
				}),
			),
		],
	},
];

/** The setting with the request rate of a scope. */
export function rateSetting(scope: string): string {
	return `WEFT_THROTTLE_${scope.toUpperCase()}`;
}

/** Read by the administration's commands only; a secret. */
const COMMAND_SETTING = "WEFT_PASSWORD";

const SETTINGS = SETTING_GROUPS.flatMap(({ settings }) => settings);

/** Settings whose value may be in a file that `NAME_FILE` names. */
export const SECRET_NAMES: readonly string[] = [
	COMMAND_SETTING,
	...SETTINGS.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
];

export const SETTING_NAMES: ReadonlySet<string> = new Set([
	COMMAND_SETTING,
	...SETTINGS.map(({ name }) => name),
	...SECRET_NAMES.map((name) => `${name}_FILE`),
]);
