/** The form of a new API token, then its secret. */
import type { AdminUser, CreatedApiToken } from "@weft/contracts";
import { apiTokenRoutes, TOKEN_USUAL_DAYS, userRoutes } from "@weft/contracts/browser";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { toInstant } from "../../../platform/instant.ts";
import { findProblem, needsRecentSignIn, type Problem } from "../../../platform/problem.ts";
import { useTimes } from "../../../platform/profile.ts";
import { quoteShell } from "../../../platform/snippets.ts";
import { addDays } from "../../../platform/time.ts";
import { baseUrl } from "../../../platform/weft.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmSignIn } from "../../../ui/confirm-sign-in.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { Banner, Loaded, ProblemBanner } from "../../../ui/page.tsx";
import { ShownOnce } from "../../../ui/shown-once.tsx";
import { WhenField } from "../../../ui/when-field.tsx";
import { EditablePermissions } from "./matrix.tsx";

interface NewTokenProps {
	/** The service account that the token is for; null: the user's own token. */
	readonly account: AdminUser | null;
	onClose(): void;
}

const MOST_DAYS = 36_500;

export function NewToken({ account, onClose }: NewTokenProps) {
	const [created, setCreated] = useState<CreatedApiToken | null>(null);
	return created === null ? (
		<Drafted form="token" id={account === null ? "own" : account.id}>
			<TokenForm account={account} onCreated={setCreated} onClose={onClose} />
		</Drafted>
	) : (
		<Secret created={created} onDone={onClose} />
	);
}

/** What a token may be given: the permissions of its owner, and the service's longest life. */
function useOptions(account: AdminUser | null) {
	const own = useAnswer(apiTokenRoutes.options);
	const params = { id: String(account?.id) };
	const ofAccount = useAnswer(userRoutes.effectivePermissions, { params }, { enabled: account !== null });
	return {
		maxDays: own.data?.max_days ?? null,
		usualDays: own.data?.default_days ?? TOKEN_USUAL_DAYS,
		permissions: account === null ? { ...own, data: own.data?.permissions } : ofAccount,
	};
}

type TokenOptions = ReturnType<typeof useOptions>;
type Ending = "days" | "date" | "never";

function TokenForm({ account, onCreated, onClose }: NewTokenProps & { onCreated(created: CreatedApiToken): void }) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const times = useTimes();
	const { maxDays, usualDays, permissions } = useOptions(account);
	const [ending, setEnding] = useDraftState<Ending>("ending", "days");
	const [chosenIds, setChosenIds] = useDraftState<readonly number[] | null>("permission_ids", null);
	const chosen = useMemo(() => (chosenIds === null ? null : new Set(chosenIds)), [chosenIds]);
	const setChosen = (ids: ReadonlySet<number> | null) => setChosenIds(ids === null ? null : [...ids]);
	const save = useAction(
		(data: FormData) => {
			const text = (name: string) => String(data.get(name) ?? "").trim();
			const networks = text("networks").split(/[\s,]+/);
			const body = {
				name: text("name"),
				read_only: data.get("read_only") === "on",
				...(ending === "days" ? { expires_in_days: Number(text("days")) } : {}),
				...(ending === "never" ? { expires_at: null } : {}),
				...(ending === "date" ? { expires_at: toInstant(`${text("date")}T00:00`, times.zone) } : {}),
				...(chosen === null ? {} : { permission_ids: [...chosen] }),
				...(networks[0] === "" ? {} : { allowed_addresses: networks }),
			};
			return account === null
				? callRoute(apiTokenRoutes.create, { body })
				: callRoute(apiTokenRoutes.managedCreate, { params: { id: String(account.id) }, body });
		},
		{
			stale: ["api_tokens"],
			onSuccess(created) {
				draft?.drop();
				onCreated(created);
			},
		},
	);
	const isStale = needsRecentSignIn(save.error);
	const problem = save.error === null ? null : findProblem(save.error);
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) save.mutate(new FormData(form.current));
	};
	return (
		<Dialog
			open
			wide
			title={account === null ? "New API token" : `New API token of ${account.username}`}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
						Create the token
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{isStale && <ConfirmSignIn onConfirmed={submit} />}
				{problem !== null && !isStale && !FIELDS.some((name) => formatMessage(problem, name)) && (
					<ProblemBanner error={save.error} />
				)}
				<TextField
					label="Name"
					name="name"
					required
					maxLength={150}
					autoComplete="off"
					spellCheck={false}
					data-autofocus
					hint="For you and for the audit log, such as nightly-drift."
					error={formatMessage(problem, "name")}
				/>
				<ExpiryFields {...{ maxDays, usualDays, problem, ending }} onChange={setEnding} />
				<CheckField
					label="Read-only"
					name="read_only"
					hint="The token can change nothing and start nothing. Starting a run is a change."
				/>
				<PermissionsField {...{ account, permissions, problem, chosen }} onChange={setChosen} />
				<AreaField
					mono
					label="Networks"
					name="networks"
					spellCheck={false}
					placeholder="10.1.0.0/16"
					hint="One per line. The token is refused from every other address. Empty: from everywhere."
					error={formatMessage(problem, "allowed_addresses")}
				/>
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

interface ExpiryFieldsProps extends Pick<TokenOptions, "maxDays" | "usualDays"> {
	readonly ending: Ending;
	readonly problem: Problem | null;
	onChange(ending: Ending): void;
}

function ExpiryFields({ maxDays, usualDays, ending, problem, onChange }: ExpiryFieldsProps) {
	const times = useTimes();
	const endings = [
		{ value: "days", label: "After a number of days" },
		{ value: "date", label: "On a date" },
		...(maxDays === null ? [{ value: "never", label: "Never" }] : []),
	];
	const today = times.getDay(Date.now());
	const bound = maxDays === null ? undefined : `At most ${formatPlural(maxDays, "day")}.`;
	return (
		<div className="grid grid-cols-2 items-start gap-3 max-sm:grid-cols-1">
			<SelectField
				label="Expires"
				options={endings}
				value={ending}
				onChange={(event) => onChange(event.target.value as Ending)}
			/>
			{ending === "days" && (
				<TextField
					key={maxDays}
					label="Days"
					name="days"
					type="number"
					required
					min={1}
					max={maxDays ?? MOST_DAYS}
					defaultValue={usualDays}
					hint={bound}
					error={formatMessage(problem, "expires_in_days")}
				/>
			)}
			{ending === "date" && (
				<WhenField
					label="Date"
					name="date"
					kind="date"
					required
					min={addDays(today, 1)}
					max={addDays(today, maxDays ?? MOST_DAYS)}
					hint={`At 00:00, ${times.zone}.${bound === undefined ? "" : ` ${bound}`}`}
					error={formatMessage(problem, "expires_at")}
				/>
			)}
		</div>
	);
}

interface PermissionsFieldProps extends Pick<TokenOptions, "permissions"> {
	readonly account: AdminUser | null;
	readonly problem: Problem | null;
	/** Ids of the selected permissions; null: all of the owner. */
	readonly chosen: ReadonlySet<number> | null;
	onChange(chosen: ReadonlySet<number> | null): void;
}

function PermissionsField({ account, permissions, problem, chosen, onChange }: PermissionsFieldProps) {
	const whose = account === null ? "your" : `${account.username}'s`;
	return (
		<>
			<SelectField
				label="Permissions"
				options={[
					{ value: "all", label: `All of ${whose} permissions at the time of use` },
					{ value: "selected", label: "Selected permissions" },
				]}
				value={chosen === null ? "all" : "selected"}
				hint={
					chosen === null
						? undefined
						: `${formatCount(chosen.size)} selected. A token never has more rights than its owner.`
				}
				error={formatMessage(problem, "permission_ids")}
				onChange={(event) => onChange(event.target.value === "all" ? null : new Set())}
			/>
			{chosen !== null && (
				<div className="rounded-control border border-line">
					<Loaded answer={permissions} lines={6}>
						{(list) => (
							<EditablePermissions
								label="Permissions of the token"
								permissions={list}
								chosen={chosen}
								readOnly={false}
								onChange={onChange}
							/>
						)}
					</Loaded>
				</div>
			)}
		</>
	);
}

const FIELDS = ["name", "expires_at", "expires_in_days", "permission_ids", "allowed_addresses"];

/** The service's message about a field, or about one entry of it. */
function formatMessage(problem: Problem | null, field: string): string | undefined {
	const own = Object.entries(problem?.fields ?? {}).filter(([name]) => name === field || name.startsWith(`${field}.`));
	return own.length === 0 ? undefined : own.map(([, message]) => message).join(" ");
}

function Secret({ created: { name, token }, onDone }: { created: CreatedApiToken; onDone(): void }) {
	const environment = `export WEFT_URL=${quoteShell(baseUrl)} WEFT_TOKEN=${token}`;
	const curl = `curl -H "Authorization: Bearer $WEFT_TOKEN" "$WEFT_URL/api/auth/profile/"`;
	return (
		<ShownOnce wide title={`API token ${name}`} confirmation="I have stored the token in a safe place" onDone={onDone}>
			<Banner
				tone="warn"
				title="The token is shown only once."
				detail="Copy it now. If it is lost, revoke it and create another one."
			/>
			<Line label="Copy the token" text={token} />
			<div className="flex flex-col gap-1.5">
				<span className="font-medium">In a shell</span>
				<Line label="Copy the environment" text={environment} />
				<Line label="Copy the curl command" text={curl} />
			</div>
		</ShownOnce>
	);
}

function Line({ label, text }: { label: string; text: string }) {
	return (
		<p className="mono m-0 flex items-center gap-2 break-all rounded-control border border-line bg-sunken p-3">
			<span className="min-w-0 flex-1">{text}</span>
			<CopyButton text={text} label={label} />
		</p>
	);
}
