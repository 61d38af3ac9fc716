/**
 * Describes failures below HTTP (sockets, DNS, TLS). The original error is not passed on: it may
 * quote the request.
 */

import { ADDRESS_REFUSED } from "../../core/system/networks.ts";
import { ControllerError, type ControllerErrorKind } from "./port-error.ts";

/** `host:port`, the port also where it is the default one. */
export function getHost(url: URL): string {
	return url.port === "" ? `${url.hostname}:${url.protocol === "https:" ? 443 : 80}` : url.host;
}

/** What users read about an address that the settings refuse. */
export const buildAddressRefusedError = (host: string): string =>
	`The administrator's settings do not allow connections to ${host}. Use another address, or ask the administrator to ` +
	"allow it: WEFT_CONTROLLER_TARGETS for controllers, WEFT_AUTOMATION_TARGETS for automation servers.";

type Words = readonly [kind: ControllerErrorKind, message: (host: string, url: URL) => string];

const trustAdvice =
	"Compare its fingerprint and trust it for this connection (pinned_certificate), or make its issuer known to this service (NODE_EXTRA_CA_CERTS).";
const selfSigned: Words = [
	"tls",
	(host) => `The certificate of ${host} is self-signed and not trusted. ${trustAdvice}`,
];
const unknownIssuer: Words = ["tls", (host) => `The certificate of ${host} has an unknown issuer. ${trustAdvice}`];
const noRoute: Words = [
	"refused",
	(host) => `There is no route to ${host}. Check the address and the network between.`,
];
const dropped: Words = [
	"reset",
	(host, url) => {
		const hint = url.protocol === "http:" ? " A host that only speaks https does so: check the address." : "";
		return `${host} dropped the connection before the answer was complete.${hint}`;
	},
];
const connectTimeout: Words = [
	"timeout",
	(host) => `${host} did not accept a connection in time. A firewall may be dropping the packets, or the host is down.`,
];

const BY_CODE: ReadonlyMap<string, Words> = new Map<string, Words>([
	[
		"ECONNREFUSED",
		["refused", (host) => `${host} refused the connection: nothing listens there, or a firewall rejects it.`],
	],
	["EHOSTUNREACH", noRoute],
	["ENETUNREACH", noRoute],
	["EADDRNOTAVAIL", noRoute],
	["ENOTFOUND", ["dns", (_, url) => `The name ${url.hostname} is not known to DNS.`]],
	[ADDRESS_REFUSED, ["address", (_, url) => buildAddressRefusedError(url.hostname)]],
	["EAI_AGAIN", ["dns", (_, url) => `DNS did not answer for ${url.hostname}.`]],
	["ETIMEDOUT", connectTimeout],
	["UND_ERR_CONNECT_TIMEOUT", connectTimeout],
	["ECONNRESET", dropped],
	["EPIPE", dropped],
	["UND_ERR_SOCKET", dropped],
	["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", dropped],
	["DEPTH_ZERO_SELF_SIGNED_CERT", selfSigned],
	["SELF_SIGNED_CERT_IN_CHAIN", unknownIssuer],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", unknownIssuer],
	["UNABLE_TO_GET_ISSUER_CERT", unknownIssuer],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", unknownIssuer],
	["CERT_HAS_EXPIRED", ["tls", (host) => `The certificate of ${host} has expired.`]],
	[
		"CERT_NOT_YET_VALID",
		["tls", (host) => `The certificate of ${host} is not valid yet; compare the clocks of both sides.`],
	],
	[
		"ERR_TLS_CERT_ALTNAME_INVALID",
		[
			"tls",
			(_, url) => `The certificate was not issued for ${url.hostname}. Use the name that it holds, or reissue it.`,
		],
	],
	[
		"ERR_SSL_WRONG_VERSION_NUMBER",
		["tls", (host) => `${host} does not speak TLS. Check the port, and https against http in the address.`],
	],
]);

const PASSING: ReadonlySet<ControllerErrorKind> = new Set(["refused", "dns", "timeout", "reset"]);

export function buildTransportError(error: unknown, url: URL): ControllerError {
	const host = getHost(url);
	const code = getCode(error);
	const [kind, message] = BY_CODE.get(code) ?? compareByFamily(code);
	return new ControllerError(kind, message(host, url), {
		...(code === "" ? {} : { code }),
		retryable: PASSING.has(kind),
	});
}

function compareByFamily(code: string): Words {
	if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|EPROTO)|CERT/.test(code)) {
		return ["tls", (host) => `No secure connection to ${host} (${code}).`];
	}
	if (code.startsWith("HPE_")) return ["not_a_controller", (host) => `${host} does not speak HTTP.`];
	return ["reset", (host) => `The connection to ${host} failed${code === "" ? "" : ` (${code})`}.`];
}

/**
 * Of the error itself, or of what it wraps: connecting to several addresses fails with all their
 * errors in one.
 */
function getCode(error: unknown): string {
	if (!(error instanceof Error)) return "";
	if ("code" in error && typeof error.code === "string" && error.code !== "UND_ERR") return error.code;
	if (error instanceof AggregateError) return getCode(error.errors[0]);
	return getCode(error.cause);
}
