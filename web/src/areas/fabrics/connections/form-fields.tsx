/** Fields of a connection: how to sign in, other addresses, and trusted certificates. */
import type { ControllerConnection } from "@weft/contracts";
import { FileKey, KeyRound } from "lucide-react";
import { useMay } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { AreaField, CheckField, PasswordField, TextField } from "../../../ui/field.tsx";
import { Banner } from "../../../ui/page.tsx";
import { formatLines } from "./addresses.ts";
import { Members } from "./members.tsx";
import type { ConnectionValues } from "./use-connection-save.ts";

interface FieldsProps {
	readonly connection: ControllerConnection | null;
	/** The service's messages, by field. */
	readonly errors: Readonly<Record<string, string | undefined>>;
}

interface StatefulProps extends FieldsProps {
	readonly values: ConnectionValues;
}

export function LoginFields({ connection, values, errors }: StatefulProps) {
	const [method, setMethod] = values.method;
	return (
		<>
			{method === "password" ? (
				<PasswordFields connection={connection} errors={errors} />
			) : (
				<CertificateFields connection={connection} errors={errors} />
			)}
			<Button
				variant="ghost"
				icon={method === "password" ? FileKey : KeyRound}
				className="self-start"
				onClick={() => setMethod(method === "password" ? "certificate" : "password")}
			>
				{method === "password" ? "Sign in with a certificate" : "Sign in with a password"}
			</Button>
		</>
	);
}

function PasswordFields({ connection, errors }: FieldsProps) {
	const isStored = connection?.auth_method === "password";
	return (
		<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
			<TextField
				mono
				label="User"
				name="username"
				defaultValue={connection?.username}
				required
				spellCheck={false}
				autoComplete="off"
				hint={
					<>
						Login domain: <span className="mono">apic:DOMAIN\\user</span>
					</>
				}
				error={errors.username}
			/>
			<PasswordField
				label="Password"
				name="password"
				required={!isStored}
				autoComplete="new-password"
				hint={
					isStored
						? "Leave empty to keep the stored password. Another host, port, scheme or trusted certificate needs it again."
						: "Stored encrypted and never returned."
				}
				error={errors.password}
			/>
		</div>
	);
}

function CertificateFields({ connection, errors }: FieldsProps) {
	const isStored = connection?.auth_method === "certificate";
	return (
		<>
			<TextField
				mono
				label="Certificate DN"
				name="certificate_dn"
				placeholder="uni/userext/user-weft/usercert-weft"
				defaultValue={connection?.certificate_dn ?? ""}
				required
				spellCheck={false}
				autoComplete="off"
				hint="The user's certificate on the controller. For an app: appuser- instead of user-."
				error={errors.certificate_dn}
			/>
			<AreaField
				mono
				label="Private key"
				name="private_key"
				secret
				rows={5}
				required={!isStored}
				spellCheck={false}
				autoComplete="off"
				placeholder="-----BEGIN PRIVATE KEY-----"
				hint={
					isStored
						? "Leave empty to keep the stored key. Another host, port, scheme or trusted certificate needs it again."
						: "RSA in PEM format. Stored encrypted and never returned."
				}
				error={errors.private_key}
			/>
			<PasswordField
				label="Passphrase of the key"
				name="private_key_passphrase"
				autoComplete="new-password"
				hint="Only for an encrypted key. It is not stored."
				error={errors.private_key_passphrase}
			/>
		</>
	);
}

export function AddressesField({ connection, values, errors }: StatefulProps) {
	const isAdmin = useMay()("admin");
	const [alternates, setAlternates] = values.alternates;
	const [isOneFabric, setIsOneFabric] = values.isOneFabric;
	return (
		<>
			<AreaField
				mono
				label="Other addresses"
				name="alternate_urls"
				rows={3}
				value={alternates}
				onChange={({ target }) => setAlternates(target.value)}
				spellCheck={false}
				autoComplete="off"
				hint="Other controllers of the same fabric, one per line, up to 8. Requests go on there when one fails."
				error={findAddressProblem(errors)}
			/>
			{isAdmin && formatLines(alternates).length > 0 && (
				<CheckField
					label="These addresses are one fabric"
					hint="Only for a user who may not read the fabric's identity: requests go on at another address without comparing it."
					checked={isOneFabric}
					onChange={(event) => setIsOneFabric(event.target.checked)}
				/>
			)}
			{connection !== null && connection.alternate_urls.length > 0 && <Members members={connection.members} />}
		</>
	);
}

/** The service names a wrong address by its place in the list. */
function findAddressProblem(errors: FieldsProps["errors"]): string | undefined {
	const name = Object.keys(errors).find((field) => /^alternate_urls\b/.test(field));
	return name === undefined ? undefined : errors[name];
}

export function CertificateCheckFields({ values, errors }: Omit<StatefulProps, "connection">) {
	const [method] = values.method;
	const [verify, setVerify] = values.verify;
	const [pins, setPins] = values.pins;
	return (
		<>
			<CheckField
				label="Verify the certificate"
				name="verify_ssl"
				checked={verify}
				onChange={(event) => setVerify(event.target.checked)}
			/>
			{verify && (
				<TextField
					mono
					label="Trusted certificates"
					value={pins}
					onChange={({ target }) => setPins(target.value)}
					spellCheck={false}
					autoComplete="off"
					hint="SHA-256 fingerprints of certificates that are accepted from any issuer. A test offers those that it meets."
					error={errors.pinned_certificate}
				/>
			)}
			{!verify && (
				<Banner
					tone="warn"
					title={
						method === "password"
							? "Anyone between Weft and the controller could read the password."
							: "Anyone between Weft and the controller could read and change the answers."
					}
					detail="Each use without the check is logged."
				/>
			)}
		</>
	);
}
