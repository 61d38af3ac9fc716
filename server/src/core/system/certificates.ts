/** Certificates of TLS servers: trust by fingerprint, and reading one to show it. */
import { isIP } from "node:net";
import { type ConnectionOptions, connect, type PeerCertificate, TLSSocket } from "node:tls";
import type { buildConnector } from "undici";

/** What people compare before they trust a certificate. */
export interface CertificateFacts {
	/** SHA-256, `AB:CD:…`. */
	readonly fingerprint: string;
	/** Common names, or the whole name where there is none; may be empty. */
	readonly subject: string;
	readonly issuer: string;
	/** Milliseconds since the epoch. */
	readonly validFrom: number;
	readonly validTo: number;
}

/** A certificate that no rule trusts; `code` is OpenSSL's or Node's. */
class UntrustedCertificate extends Error {
	readonly code: string;
	constructor(code: string) {
		super("The certificate is not trusted.");
		this.code = code;
	}
}

/**
 * Connects to servers whose certificate is valid, or has one of these fingerprints: such a one may
 * be self-signed, expired, or of another name. Nothing is sent before this is known.
 */
export async function createPinnedConnector(
	fingerprints: readonly string[],
	options: buildConnector.BuildOptions,
): Promise<buildConnector.connector> {
	const { buildConnector } = await import("undici");
	const trusted = new Set(fingerprints);
	// A resumed session would skip the check.
	const open = buildConnector({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 });
	return (address, done) =>
		open(address, (error, socket) => {
			if (socket === null) return done(error ?? new Error("no socket"), null);
			const isTrusted =
				!(socket instanceof TLSSocket) ||
				socket.authorized ||
				trusted.has(socket.getPeerCertificate().fingerprint256 ?? "");
			if (isTrusted) return done(null, socket);
			const code = String(socket.authorizationError);
			socket.destroy();
			done(new UntrustedCertificate(code), null);
		});
}

/**
 * The certificate that a server shows, trusted or not. Nothing is sent but the greeting of TLS.
 * @param url of https
 * @returns null if there is none, or not in time
 */
export function readCertificate(
	url: URL,
	{ signal, lookup }: { readonly signal: AbortSignal; readonly lookup?: ConnectionOptions["lookup"] },
): Promise<CertificateFacts | null> {
	const host = url.hostname.replace(/^\[|\]$/g, "");
	return new Promise((resolve) => {
		if (signal.aborted) return resolve(null);
		const socket = connect({
			host,
			port: Number(url.port || 443),
			rejectUnauthorized: false,
			...(isIP(host) === 0 ? { servername: host } : {}),
			...(lookup === undefined ? {} : { lookup }),
		});
		const end = (facts: CertificateFacts | null) => {
			signal.removeEventListener("abort", giveUp);
			socket.destroy();
			resolve(facts);
		};
		const giveUp = () => end(null);
		signal.addEventListener("abort", giveUp);
		socket.on("secureConnect", () => end(collectFacts(socket.getPeerCertificate())));
		socket.on("error", giveUp);
		socket.on("close", giveUp);
	});
}

/** Node answers an empty object for a server without a certificate. */
function collectFacts(certificate: Partial<PeerCertificate>): CertificateFacts | null {
	const { fingerprint256, subject, issuer, valid_from = "", valid_to = "" } = certificate;
	if (fingerprint256 === undefined) return null;
	const [validFrom, validTo] = [Date.parse(valid_from), Date.parse(valid_to)];
	if (Number.isNaN(validFrom) || Number.isNaN(validTo)) return null;
	return { fingerprint: fingerprint256, subject: getName(subject), issuer: getName(issuer), validFrom, validTo };
}

/** The longest part of a name that is shown. */
const NAME_MAX = 200;

function getName(name: PeerCertificate["subject"] | undefined): string {
	const { CN, O, OU } = name ?? {};
	return [CN ?? OU ?? O ?? ""].flat().join(", ").slice(0, NAME_MAX);
}
