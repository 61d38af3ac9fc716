/** How a controller connection signs in: the fields of a body merged with the stored login. */
import { splitCertificateDn } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildFieldError } from "../../core/errors.ts";
import type { GivenSecret, StoredSecret } from "./stored-kind.ts";

export const PASSWORD: StoredSecret = {
	name: "password",
	field: "password",
	label: "password",
	exposure: "it would be sent",
};
export const PRIVATE_KEY: StoredSecret = {
	name: "private_key",
	field: "private_key",
	label: "private key",
	exposure: "requests that are signed with it would be sent",
};

/** The checked fields of a body. */
export interface LoginInput {
	readonly auth_method?: "password" | "certificate";
	readonly username?: string;
	readonly password?: string;
	readonly certificate_dn?: string | null;
	readonly certificate_name?: string;
	readonly private_key?: string;
	readonly private_key_passphrase?: string;
}

interface StoredLogin {
	readonly auth_method: string;
	readonly username: string;
	readonly certificate_dn: string | null;
}

interface Login {
	readonly values: { readonly auth_method: string; readonly username?: string; readonly certificate_dn: string | null };
	/** Null: the stored one stays. */
	readonly secret: GivenSecret | null;
}

/**
 * @param before the stored login; null for a new connection
 * @throws 400 under the field
 */
export function readLogin(ctx: Context, input: LoginInput, before: StoredLogin | null): Login {
	const method = input.auth_method ?? before?.auth_method ?? "password";
	const isNew = before?.auth_method !== method;
	return method === "certificate" ? readCertificate(ctx, input, before, isNew) : readPassword(input, isNew);
}

function readPassword({ username, password, certificate_dn, private_key }: LoginInput, isNew: boolean): Login {
	for (const [field, value] of Object.entries({ certificate_dn: certificate_dn ?? undefined, private_key })) {
		if (value !== undefined) throw buildFieldError(field, 'Set auth_method to "certificate" to use a certificate.');
	}
	if (password === undefined && isNew) throw buildFieldError("password", "Enter the password: auth_method changes.");
	return {
		values: { auth_method: "password", ...(username === undefined ? {} : { username }), certificate_dn: null },
		secret: password === undefined ? null : { ...PASSWORD, value: password },
	};
}

function readCertificate(ctx: Context, input: LoginInput, before: StoredLogin | null, isNew: boolean): Login {
	const { private_key, private_key_passphrase } = input;
	if (input.password !== undefined && input.auth_method === undefined) {
		throw buildFieldError("password", 'Set auth_method to "password" to use a password.');
	}
	const dn = getCertificateDn(input, before);
	const values = { auth_method: "certificate", username: splitCertificateDn(dn)?.user ?? "", certificate_dn: dn };
	if (private_key === undefined) {
		if (isNew) throw buildFieldError("private_key", "Enter the private key: auth_method changes.");
		if (private_key_passphrase !== undefined) {
			throw buildFieldError("private_key", "Enter the private key together with its passphrase.");
		}
		return { values, secret: null };
	}
	const key = ctx.controllers.checkPrivateKey(private_key, private_key_passphrase);
	if (!key.ok) throw buildFieldError(key.about === "key" ? "private_key" : "private_key_passphrase", key.message);
	return { values, secret: { ...PRIVATE_KEY, value: key.privateKey } };
}

/** From the DN, or user and certificate name; a part that is not given stays as stored. */
function getCertificateDn({ certificate_dn, certificate_name, username }: LoginInput, before: StoredLogin | null) {
	if (typeof certificate_dn === "string") return certificate_dn;
	const stored = splitCertificateDn(before?.certificate_dn ?? "");
	const user = username ?? before?.username;
	const name = certificate_name ?? stored?.name;
	if (user === undefined || name === undefined) {
		throw buildFieldError("certificate_dn", "Enter the DN of the certificate, or username and certificate_name.");
	}
	const dn = `uni/userext/${stored?.kind ?? "user"}-${user}/usercert-${name}`;
	if (splitCertificateDn(dn) !== null) return dn;
	throw buildFieldError("username", "Must be the name of a user with a certificate: letters, digits and . _ : @ -");
}
