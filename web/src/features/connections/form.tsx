/** A connection's fields, in a drawer. Passwords and private keys are entered once, never shown. */
import type { ControllerConnection } from "@weft/contracts";
import { connectionRoutes } from "@weft/contracts/browser";
import { FileKey, KeyRound, Plus } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { callRoute, invalidateAreas } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { AudienceField } from "../../ui/audience-field.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, CheckField, PasswordField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { Banner } from "../../ui/page.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { UntrustedCertificates } from "./certificates.tsx";
import { Members } from "./members.tsx";
import { type TestOutcome, testConnection } from "./outcome.ts";
import { OutcomeBanner } from "./outcome-banner.tsx";

interface FormProps {
	/** Null: a new one. */
	readonly connection: ControllerConnection | null;
	onClose(): void;
	/** Saved for the first time: the drawer goes on with it. */
	onMade(id: string): void;
}

export const ConnectionForm = (props: FormProps) => (
	<Drafted form="connection" id={props.connection?.id}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ connection, onClose, onMade }: FormProps) {
	const draft = useDraft();
	const isAdmin = useMay()("admin");
	const form = useRef<HTMLFormElement>(null);
	const [busy, setBusy] = useState<"save" | "test" | null>(null);
	const [error, setError] = useState<unknown>(null);
	const [outcome, setOutcome] = useState<TestOutcome | null>(null);
	const [method, setMethod] = useDraftState("auth_method", connection?.auth_method ?? "password");
	const [verify, setVerify] = useDraftState("verify_ssl", connection?.verify_ssl ?? true);
	const [alternates, setAlternates] = useDraftState(
		"alternate_urls",
		() => connection?.alternate_urls.join("\n") ?? "",
	);
	const [isOneFabric, setIsOneFabric] = useDraftState(
		"is_one_fabric_confirmed",
		connection?.is_one_fabric_confirmed ?? false,
	);
	const [isPublic, setIsPublic] = useDraftState("is_public", connection?.is_public ?? false);
	const [pins, setPins] = useDraftState("pinned_certificate", connection?.pinned_certificate ?? "");
	const lastSave = useRef<"save" | "test">("test");
	const guard = useSaveGuard(connection, ({ id }) => callRoute(connectionRoutes.detail, { params: { id } }));
	const fields = error === null ? {} : findProblem(error).fields;

	const save = async (then: "save" | "test", trusted = pins) => {
		if (!form.current?.reportValidity()) return;
		lastSave.current = then;
		setBusy(then);
		setError(null);
		setOutcome(null);
		try {
			const shared = {
				...readConnectionForm(new FormData(form.current), method),
				is_public: isPublic,
				pinned_certificate: trusted,
			};
			const body = isAdmin
				? { ...shared, is_one_fabric_confirmed: isOneFabric && shared.alternate_urls.length > 0 }
				: shared;
			await guard.assertUnchanged(body);
			const saved = connection
				? await callRoute(connectionRoutes.update, { params: { id: connection.id }, body })
				: await callRoute(connectionRoutes.create, { body });
			draft?.drop();
			guard.accept(saved);
			await invalidateAreas("connections");
			if (then === "save") return onClose();
			if (connection === null) onMade(saved.id);
			setOutcome(await testConnection(saved));
			await invalidateAreas("connections");
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(null);
		}
	};
	const submit = (event: FormEvent) => {
		event.preventDefault();
		void save("test");
	};
	const suggested = outcome?.success ? outcome.suggested_urls : [];
	const isDone = outcome?.success === true;
	const done = useRef<HTMLButtonElement>(null);
	useEffect(() => {
		if (isDone) done.current?.focus();
	}, [isDone]);
	return (
		<Dialog
			open
			side="right"
			title={connection ? connection.name : "New connection"}
			description={connection ? undefined : "A controller. A read-only user suffices."}
			onClose={onClose}
			actions={
				<>
					<CancelButton label={isDone ? "Close" : "Cancel"} onClose={onClose} />
					<Button busy={busy === "save"} onClick={() => void save("save")}>
						Save without a test
					</Button>
					{isDone ? (
						<Button ref={done} variant="primary" onClick={onClose}>
							Done
						</Button>
					) : (
						<Button variant="primary" busy={busy === "test"} onClick={() => void save("test")}>
							Save and test
						</Button>
					)}
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit} onChange={() => setOutcome(null)}>
				{outcome && <OutcomeBanner outcome={outcome} />}
				{outcome?.untrusted_certificates && (
					<UntrustedCertificates
						certificates={outcome.untrusted_certificates}
						onTrust={(fingerprint) => {
							const all = pins === "" ? fingerprint : `${pins},${fingerprint}`;
							setPins(all);
							void save("test", all);
						}}
					/>
				)}
				{suggested.length > 0 && (
					<Banner
						tone="info"
						title={`The fabric has ${formatPlural(suggested.length, "controller")} more.`}
						detail={suggested.join(", ")}
						action={
							<Button
								icon={Plus}
								onClick={() => {
									setAlternates([...formatLines(alternates), ...suggested].join("\n"));
									setOutcome(null);
								}}
							>
								Add
							</Button>
						}
					/>
				)}
				{error !== null && Object.keys(fields).length === 0 && (
					<SaveProblem error={error} onSaveMine={() => void save(lastSave.current)} />
				)}
				<TextField
					label="Name"
					name="name"
					defaultValue={connection?.name}
					required
					minLength={3}
					maxLength={100}
					autoComplete="off"
					data-autofocus
					error={fields.name}
				/>
				<TextField
					mono
					label="Address"
					name="url"
					placeholder="https://apic1.example.net"
					defaultValue={connection?.url}
					required
					spellCheck={false}
					autoComplete="off"
					error={fields.url}
					hint="Without a scheme: https."
					onBlur={({ target }) => {
						target.value = withScheme(target.value);
					}}
				/>
				{method === "password" ? (
					<PasswordFields connection={connection} fields={fields} />
				) : (
					<CertificateFields connection={connection} fields={fields} />
				)}
				<Button
					variant="ghost"
					icon={method === "password" ? FileKey : KeyRound}
					className="self-start"
					onClick={() => setMethod(method === "password" ? "certificate" : "password")}
				>
					{method === "password" ? "Sign in with a certificate" : "Sign in with a password"}
				</Button>
				<AudienceField isPublic={isPublic} error={fields.is_public} onChange={setIsPublic} />
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
					error={alternatesProblem(fields)}
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
				<TextField
					label="Timeout, in seconds"
					name="timeout"
					type="number"
					min={5}
					max={300}
					defaultValue={connection?.timeout ?? 30}
					className="w-40"
					error={fields.timeout}
				/>
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
						error={fields.pinned_certificate}
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
				<CheckField
					label="Enabled"
					hint="Off: nothing is sent to it."
					name="is_active"
					defaultChecked={connection?.is_active ?? true}
				/>
				<AreaField
					label="Description"
					name="description"
					defaultValue={connection?.description}
					maxLength={2000}
					error={fields.description}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

interface LoginProps {
	readonly connection: ControllerConnection | null;
	/** The service's messages, by field. */
	readonly fields: Readonly<Record<string, string | undefined>>;
}

function PasswordFields({ connection, fields }: LoginProps) {
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
				error={fields.username}
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
				error={fields.password}
			/>
		</div>
	);
}

function CertificateFields({ connection, fields }: LoginProps) {
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
				error={fields.certificate_dn}
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
				error={fields.private_key}
			/>
			<PasswordField
				label="Passphrase of the key"
				name="private_key_passphrase"
				autoComplete="new-password"
				hint="Only for an encrypted key. It is not stored."
				error={fields.private_key_passphrase}
			/>
		</>
	);
}

/** An address that is written without a scheme is meant with https. */
const withScheme = (address: string): string => {
	const text = address.trim();
	return text === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
};

const formatLines = (text: string): string[] =>
	text
		.split(/[\s,]+/)
		.filter((line) => line !== "")
		.map(withScheme);

/** The service names a wrong address by its place in the list. */
function alternatesProblem(fields: LoginProps["fields"]): string | undefined {
	const name = Object.keys(fields).find((field) => /^alternate_urls\b/.test(field));
	return name === undefined ? undefined : fields[name];
}

function readConnectionForm(form: FormData, method: ControllerConnection["auth_method"]) {
	const text = (name: string) => String(form.get(name) ?? "");
	/** Empty: the stored one stays. */
	const secret = <Name extends string>(name: Name) =>
		(text(name) === "" ? {} : { [name]: text(name) }) as { readonly [K in Name]?: string };
	const login =
		method === "password"
			? { username: text("username"), ...secret("password") }
			: { certificate_dn: text("certificate_dn"), ...secret("private_key"), ...secret("private_key_passphrase") };
	return {
		name: text("name"),
		url: withScheme(text("url")),
		alternate_urls: formatLines(text("alternate_urls")),
		auth_method: method,
		...login,
		timeout: Number(text("timeout") || 30),
		verify_ssl: form.get("verify_ssl") === "on",
		is_active: form.get("is_active") === "on",
		description: text("description"),
	};
}
