/** Controller connections: addresses and credentials, a live test, and the pass-through query. */
import * as z from "zod";
import { freezeOverride } from "../../calendar/reference-shapes.ts";
import { defineList, definePatternText } from "../../core/bounded.ts";
import { timestamp, userRef, uuid } from "../../core/common.ts";
import { CONTROL, defineLine, refuseTurning } from "../../core/text.ts";
import { CONNECTION_TIMEOUT, MEMBER_STATES } from "./values.ts";

const URL_MAX = 2000;
const QUERY_PATH_MAX = 8192;

/**
 * A controller's address in canonical form, without a trailing slash: scheme, host, non-default
 * port, and a path if the controller is behind one.
 */
export const controllerUrl = z
	.string()
	.trim()
	.max(URL_MAX, `Must be at most ${URL_MAX} characters.`)
	.transform((text, context) => {
		const problem = findUrlProblem(text);
		if (problem === null) {
			const { origin, pathname } = new URL(text);
			return `${origin}${pathname.replace(/\/+$/, "")}`;
		}
		// The error does not repeat the text, because it may contain a password.
		context.issues.push({ code: "custom", message: problem, input: "" });
		return z.NEVER;
	});

/**
 * Rejects what URL parsers tolerate (backslashes, spaces, missing slashes): parsers differ there.
 */
function findUrlProblem(text: string): string | null {
	const [, authority = "", rest = ""] = /^https?:\/\/([^/\\?#]*)(.*)$/is.exec(text) ?? [];
	if (!/^https?:\/\//i.test(text)) return "Must start with http:// or https://.";
	if (authority.includes("@")) return "Must not contain credentials; they have fields of their own.";
	if (rest.includes("?")) return "Must not contain a query.";
	if (rest.includes("#")) return "Must not contain a fragment.";
	if (CONTROL.test(text) || /[\s\\]/.test(text)) return "Must not contain spaces, backslashes or control characters.";
	if (authority === "" || !URL.canParse(text))
		return "Must be an address with a host, such as https://controller.example.com.";
	const { hostname, port } = new URL(text);
	if (hostname === "" || port === "0") return "Must be an address with a host and a port that exists.";
	return null;
}

const name = defineLine(100, 3);
const username = defineLine(255);
const password = z.string().min(1, "Must not be empty.").max(1024, "Must be at most 1024 characters.");

/** `certificate`: each request is signed with the private key; there is no session. */
const authMethod = z.enum(["password", "certificate"], { error: "Must be password or certificate." });

const CERTIFICATE_NAME = "[A-Za-z0-9_.@:-]{1,64}";
const DN_FORM = new RegExp(`^uni/userext/(user|appuser)-(${CERTIFICATE_NAME})/usercert-(${CERTIFICATE_NAME})$`);

export interface CertificateParts {
	readonly kind: "user" | "appuser";
	readonly user: string;
	readonly name: string;
}

/** Null for a text that is no DN of a user's certificate. */
export function splitCertificateDn(dn: string): CertificateParts | null {
	const [, kind, user = "", name = ""] = DN_FORM.exec(dn) ?? [];
	return kind === "user" || kind === "appuser" ? { kind, user, name } : null;
}

/** Null with a password. In a body it wins over `username` and `certificate_name`. */
const certificateDn = definePatternText(
	DN_FORM,
	200,
	"Must be uni/userext/user-USER/usercert-NAME, or uni/userext/appuser-APP/usercert-NAME.",
).nullable();
const certificateName = definePatternText(
	new RegExp(`^${CERTIFICATE_NAME}$`),
	64,
	"Must be the name of the user's certificate: at most 64 letters, digits and . _ : @ -",
);
/** PEM text of an RSA key of 2,048 bits or more, PKCS#1 or PKCS#8. Never answered. */
const privateKey = z.string().min(1, "Must not be empty.").max(16_384, "Must be at most 16384 characters.");
/** Decrypts the key when it is saved; not stored. */
const passphrase = z.string().min(1, "Must not be empty.").max(1024, "Must be at most 1024 characters.");
const timeout = z
	.number()
	.transform((value) => Math.min(CONNECTION_TIMEOUT.max, Math.max(CONNECTION_TIMEOUT.min, Math.round(value))));
const description = refuseTurning(z.string().max(2000, "Must be at most 2000 characters."));

/** Further addresses of the fabric's controllers, besides `url`. */
const MAX_ALTERNATE_URLS = 8;
const alternateUrls = defineList(controllerUrl, { max: MAX_ALTERNATE_URLS, error: "Must be a list of addresses." });

/** Written by administrators only, for users who may not read the fabric's identity. */
const isOneFabricConfirmed = z.boolean().optional();

/** Members of a cluster may each have a certificate of their own. */
const PINS_MAX = 1 + MAX_ALTERNATE_URLS;
const FINGERPRINT = /^[0-9A-F]{64}$/;

/**
 * SHA-256 fingerprints of certificates that are trusted regardless of their issuer, name and dates,
 * with commas between them: 64 hexadecimal digits each, with or without colons. Null: none.
 */
const pinnedCertificate = z
	.string()
	.max(2_000, "Must be at most 2000 characters.")
	.transform((text, context) => {
		const pins = text
			.toUpperCase()
			.split(/[\s,]+/)
			.map((pin) => pin.replaceAll(":", ""));
		const given = [...new Set(pins.filter((pin) => pin !== ""))];
		if (given.length <= PINS_MAX && given.every((pin) => FINGERPRINT.test(pin))) {
			return given.length === 0 ? null : given.map((pin) => pin.match(/../g)?.join(":")).join(",");
		}
		const message =
			"Must be the SHA-256 fingerprint of a certificate, 64 hexadecimal digits, " +
			`or up to ${PINS_MAX} of them with commas.`;
		context.issues.push({ code: "custom", message, input: text });
		return z.NEVER;
	})
	.nullable();

/** With `certificate` the password is not used, and `username` is that of the certificate. */
const login = {
	username: username.optional(),
	password: password.optional(),
	certificate_dn: certificateDn.optional(),
	certificate_name: certificateName.optional(),
	private_key: privateKey.optional(),
	private_key_passphrase: passphrase.optional(),
};

/** What the fields hold that may be left out; PUT sets them to it, PATCH leaves them alone. */
const whole = z.object({
	name,
	description: description.default(""),
	url: controllerUrl,
	alternate_urls: alternateUrls.default([]),
	is_one_fabric_confirmed: isOneFabricConfirmed,
	auth_method: authMethod.default("password"),
	...login,
	verify_ssl: z.boolean().default(true),
	pinned_certificate: pinnedCertificate.default(null),
	timeout: timeout.prefault(CONNECTION_TIMEOUT.fallback),
	is_active: z.boolean().default(true),
	is_public: z.boolean().default(false),
});

/** The fields of a connection's file: all but the secrets. */
export const connectionFileFields = whole.omit({
	password: true,
	certificate_name: true,
	private_key: true,
	private_key_passphrase: true,
});

type Body = Readonly<Record<string, unknown>>;
const REQUIRED = "This field is required.";
const isSigned = ({ auth_method }: Body): boolean => auth_method === "certificate";
const hasPassword = ({ auth_method }: Body): boolean => auth_method === "password" || auth_method === undefined;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** A condition on the whole body that is also checked beside wrong fields. */
const defineCondition = (
	field: string,
	holds: (body: Body) => boolean,
	message = REQUIRED,
): [(body: Body) => boolean, { path: string[]; message: string; when(payload: { value: unknown }): boolean }] => [
	holds,
	{ path: [field], message, when: ({ value }) => typeof value === "object" && value !== null },
];

export const connectionReplace = whole
	.refine(...defineCondition("username", (body) => !hasPassword(body) || isGiven(body.username)))
	.refine(
		...defineCondition(
			"certificate_dn",
			(body) =>
				!isSigned(body) || isGiven(body.certificate_dn) || (isGiven(body.username) && isGiven(body.certificate_name)),
			"Enter the DN of the certificate, or username and certificate_name.",
		),
	);
export const connectionCreate = connectionReplace
	.refine(...defineCondition("password", (body) => !hasPassword(body) || isGiven(body.password)))
	.refine(...defineCondition("private_key", (body) => !isSigned(body) || isGiven(body.private_key)));
export const connectionPatch = z
	.object({ name, description, url: controllerUrl, auth_method: authMethod })
	.partial()
	.extend({
		...login,
		alternate_urls: alternateUrls.optional(),
		is_one_fabric_confirmed: isOneFabricConfirmed,
		verify_ssl: z.boolean().optional(),
		pinned_certificate: pinnedCertificate.optional(),
		timeout: timeout.optional(),
		is_active: z.boolean().optional(),
		is_public: z.boolean().optional(),
	});
export type ConnectionPatch = z.output<typeof connectionPatch>;

const memberState = z.enum(MEMBER_STATES);

/** A controller, as a test of the connection found it. */
export const testedMember = z.object({
	/** Null for a controller whose address the connection lacks. */
	url: z.string().nullable(),
	name: z.string().nullable(),
	node_id: z.int().nullable(),
	/** Of the management network. */
	address: z.string().nullable(),
	answered: z.boolean(),
	state: memberState,
	/** `fully-fit`, or the controller's word for the defect. */
	health: z.string().nullable(),
	version: z.string().nullable(),
});
export type TestedMember = z.infer<typeof testedMember>;

/** A certificate that a test met and that nothing trusts; nothing was sent to its address. */
export const untrustedCertificate = z.object({
	/** Of the connection's addresses. */
	url: z.string(),
	/** SHA-256, as `pinned_certificate` takes it. */
	fingerprint: z.string(),
	subject: z.string(),
	issuer: z.string(),
	valid_from: timestamp,
	valid_to: timestamp,
});
export type UntrustedCertificate = z.infer<typeof untrustedCertificate>;

export const controllerConnection = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	url: z.string(),
	alternate_urls: z.array(z.string()),
	/** Domain and serial of node 1; null until a test or a run has found it. */
	fabric_id: z.string().nullable(),
	/**
	 * Whether an administrator confirmed that all addresses are one fabric, so that they stand in for
	 * each other although the identity cannot be read. A change of the addresses ends it.
	 */
	is_one_fabric_confirmed: z.boolean(),
	/** `url` and `alternate_urls` in their order, as tests and runs found them. */
	members: z.array(
		z.object({
			url: z.string(),
			state: memberState,
			last_error: z.string().nullable(),
			/** When it came into this state; null while it is unknown. */
			since: timestamp.nullable(),
		}),
	),
	auth_method: authMethod,
	username: z.string(),
	certificate_dn: z.string().nullable(),
	private_key_configured: z.boolean(),
	verify_ssl: z.boolean(),
	pinned_certificate: z.string().nullable(),
	timeout: z.int(),
	is_active: z.boolean(),
	is_public: z.boolean(),
	/**
	 * Whether it may be the default of a caller who chose none: the caller's own, or a public one of
	 * an administrator.
	 */
	is_default_candidate: z.boolean(),
	last_tested_at: timestamp.nullable(),
	last_test_status: z.boolean().nullable(),
	last_test_message: z.string(),
	created_by: userRef,
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type ControllerConnection = z.infer<typeof controllerConnection>;

/**
 * The service handles sessions. These calls return tokens that outlive the request, or end sessions
 * of others.
 */
const SESSION_CALLS = /^(aaaLogin|aaaLogout|aaaRefresh|webtokenSession|requestAppToken)(\W|$)/i;

const DECODINGS = 4;

/**
 * Why a pass-through path is refused, or null. Checks the path before the options also decoded once
 * and twice.
 */
export function findQueryPathProblem(path: string): string | null {
	if (!path.startsWith("/api/")) return "Must start with /api/, without scheme and host.";
	if (CONTROL.test(path) || /%([01][0-9a-f]|7f)/i.test(path)) return "Must not contain control characters.";
	if (path.includes("#")) return "Must not contain a fragment; inside a value # is written %23.";
	if (path.includes("\\")) return "Must not contain a backslash; inside a value it is written %5C.";
	let place = path.split("?", 1)[0] ?? "";
	if (decodePercent(place) === null) return "Must not contain broken percent-encoding.";
	for (let round = 0; round < DECODINGS; round++) {
		const problem = placeProblem(place);
		const decoded = decodePercent(place) ?? place;
		if (problem !== null || decoded === place) return problem;
		place = decoded;
	}
	return "Must not be percent-encoded again and again.";
}

function placeProblem(place: string): string | null {
	if (CONTROL.test(place)) return "Must not contain control characters.";
	if (place.includes("\\")) return "Must not contain a backslash.";
	const segments = place.split("/");
	if (segments.some((segment) => /^\.{1,2}(;|$)/.test(segment))) {
		return "Must not contain '.' or '..' as a part of the path.";
	}
	if (segments.some((segment) => SESSION_CALLS.test(segment))) {
		return "Sessions of the controller are handled by this service; this call cannot be passed through.";
	}
	return null;
}

/** Null where the percent-encoding is broken. */
function decodePercent(text: string): string | null {
	try {
		return decodeURIComponent(text);
	} catch {
		return null;
	}
}

export const connectionExecute = z.object({
	connection_id: uuid,
	query_path: z
		.string()
		.max(QUERY_PATH_MAX, `Must be at most ${QUERY_PATH_MAX} characters.`)
		.superRefine((path, context) => {
			const problem = findQueryPathProblem(path);
			if (problem !== null) context.addIssue({ code: "custom", message: problem });
		}),
	method: z.enum(["GET", "POST", "PUT", "DELETE"]).default("GET"),
	/** Sent with POST and PUT: JSON, or text (XML) as it is. */
	data: z.unknown().optional(),
	override_freeze: freezeOverride,
});
export type ConnectionExecute = z.output<typeof connectionExecute>;
