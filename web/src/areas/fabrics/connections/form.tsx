/** A connection's fields, in a drawer. Passwords and private keys are entered once, never shown. */
import { Plus } from "lucide-react";
import { type FormEvent, useEffect, useRef } from "react";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { AudienceField } from "../../../ui/audience-field.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField, CheckField, TextField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { Banner } from "../../../ui/page.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { formatLines, withScheme } from "./addresses.ts";
import { UntrustedCertificates } from "./certificates.tsx";
import { AddressesField, CertificateCheckFields, LoginFields } from "./form-fields.tsx";
import type { TestOutcome } from "./outcome.ts";
import { OutcomeBanner } from "./outcome-banner.tsx";
import {
	type ConnectionSave,
	type ConnectionValues,
	type OpenedConnection,
	useConnectionSave,
	useConnectionValues,
} from "./use-connection-save.ts";

export const ConnectionForm = (props: OpenedConnection) => (
	<Drafted form="connection" id={props.connection?.id}>
		<Fields {...props} />
	</Drafted>
);

function Fields(opened: OpenedConnection) {
	const { connection, onClose } = opened;
	const form = useRef<HTMLFormElement>(null);
	const values = useConnectionValues(connection);
	const saving = useConnectionSave(opened, values, form);
	const { busy, error, outcome, save } = saving;
	const [isPublic, setIsPublic] = values.isPublic;
	const errors = error === null ? {} : findProblem(error).fields;
	const submit = (event: FormEvent) => {
		event.preventDefault();
		void save("test");
	};
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
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit} onChange={saving.forgetOutcome}>
				{outcome && <OutcomeBanners {...{ outcome, values, saving }} />}
				{error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={error} onSaveMine={saving.saveAgain} />
				)}
				<NameFields {...{ connection, errors }} />
				<LoginFields {...{ connection, values, errors }} />
				<AudienceField isPublic={isPublic} error={errors.is_public} onChange={setIsPublic} />
				<AddressesField {...{ connection, values, errors }} />
				<TextField
					label="Timeout, in seconds"
					name="timeout"
					type="number"
					min={5}
					max={300}
					defaultValue={connection?.timeout ?? 30}
					className="w-40"
					error={errors.timeout}
				/>
				<CertificateCheckFields {...{ values, errors }} />
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
					error={errors.description}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

interface NameFieldsProps {
	readonly connection: OpenedConnection["connection"];
	readonly errors: Readonly<Record<string, string>>;
}

function NameFields({ connection, errors }: NameFieldsProps) {
	return (
		<>
			<TextField
				label="Name"
				name="name"
				defaultValue={connection?.name}
				required
				minLength={3}
				maxLength={100}
				autoComplete="off"
				data-autofocus
				error={errors.name}
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
				error={errors.url}
				hint="Without a scheme: https."
				onBlur={({ target }) => {
					target.value = withScheme(target.value);
				}}
			/>
		</>
	);
}

interface OutcomeBannersProps {
	readonly outcome: TestOutcome;
	readonly values: ConnectionValues;
	readonly saving: ConnectionSave;
}

/** The outcome of a test, with the certificates and the controllers that it met. */
function OutcomeBanners({ outcome, values, saving }: OutcomeBannersProps) {
	const [alternates, setAlternates] = values.alternates;
	const [pins, setPins] = values.pins;
	const suggested = outcome.success ? outcome.suggested_urls : [];
	return (
		<>
			<OutcomeBanner outcome={outcome} />
			{outcome.untrusted_certificates && (
				<UntrustedCertificates
					certificates={outcome.untrusted_certificates}
					onTrust={(fingerprint) => {
						const all = pins === "" ? fingerprint : `${pins},${fingerprint}`;
						setPins(all);
						void saving.save("test", all);
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
								saving.forgetOutcome();
							}}
						>
							Add
						</Button>
					}
				/>
			)}
		</>
	);
}
