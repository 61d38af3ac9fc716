/** Automation servers: how they are reached, and whether they can be. */
import { getRouteApi } from "@tanstack/react-router";
import type { AutomationConnection } from "@weft/contracts";
import { automationConnectionRoutes } from "@weft/contracts/browser";
import { LockOpen, Pencil, PlugZap, Plus, Trash2, Workflow } from "lucide-react";
import { useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { AudienceField } from "../../ui/audience-field.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { CheckField, PasswordField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../ui/form.tsx";
import { Banner, Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { AutomationNav } from "./automation-nav.tsx";
import { readTemplateIds, type ServerApproval } from "./free-templates.ts";
import { ServerApprovalFields } from "./server-approval.tsx";

const route = getRouteApi("/app/settings/automation");

export function ServersPage() {
	const { edit } = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const answer = useAnswer(automationConnectionRoutes.list, { query: { page_size: "200" } });
	const [removing, setRemoving] = useState<AutomationConnection | null>(null);
	/** Saved for the first time by the open drawer, which goes on with it as it is. */
	const [made, setMade] = useState<string | null>(null);
	const setEdit = (id: string | undefined) => void navigate({ search: { edit: id } });
	const all = answer.data?.results ?? [];
	const edited = edit === "new" ? null : all.find(({ id }) => id === edit);
	const add = may("add_automationconnection") && (
		<Button variant="primary" icon={Plus} onClick={() => setEdit("new")}>
			New server
		</Button>
	);
	return (
		<>
			<PageHead
				title="Automation servers"
				crumbs={[{ label: "Settings" }]}
				facts={answer.data && formatPlural(all.length, "server")}
				actions={
					<>
						<CopyAs call={() => ({ route: automationConnectionRoutes.list })} />
						{add}
					</>
				}
			/>
			<AutomationNav />
			<div className="px-5 py-4 max-sm:px-4">
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={answer} lines={4}>
						{() =>
							all.length === 0 ? (
								<Empty icon={Workflow} action={add}>
									A server (AWX or Ansible Automation Platform) carries out requests. It needs an address and a token
									with the right to launch.
								</Empty>
							) : (
								<List rows={all} onEdit={setEdit} onRemove={setRemoving} />
							)
						}
					</Loaded>
				</div>
			</div>
			{edited !== undefined && edit !== undefined && (
				<ServerForm
					key={edited === null || edited.id === made ? "new" : edited.id}
					server={edited}
					onMade={(id) => {
						setMade(id);
						setEdit(id);
					}}
					onClose={() => {
						setMade(null);
						setEdit(undefined);
					}}
				/>
			)}
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the server"
				onConfirm={async () => {
					if (removing === null) return;
					await callRoute(automationConnectionRoutes.remove, { params: { id: removing.id } });
					await answer.refetch();
				}}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">Its token is deleted. Templates of this server can no longer be launched.</p>
			</Confirm>
		</>
	);
}

interface ListProps {
	readonly rows: readonly AutomationConnection[];
	onEdit(id: string): void;
	onRemove(server: AutomationConnection): void;
}

function List({ rows, onEdit, onRemove }: ListProps) {
	const times = useTimes();
	const test = useTest();
	const columns: Column<AutomationConnection>[] = [
		{
			key: "name",
			head: "Name",
			cell: ({ name, is_default, is_public, verify_ssl }) => (
				<span className="flex items-center gap-2">
					<span className="truncate font-medium">{name}</span>
					{is_default && <Pill tone="accent">Default</Pill>}
					{is_public && <Pill tone="violet">Shared</Pill>}
					{!verify_ssl && (
						<Pill tone="warn" icon={LockOpen}>
							Certificate not verified
						</Pill>
					)}
				</span>
			),
		},
		{
			key: "approval",
			head: "Approval",
			cell: ({ approval }) => (
				<Pill tone={approval === "always" ? "ok" : "warn"}>{approval === "always" ? "Always" : "By template"}</Pill>
			),
		},
		{ key: "url", head: "Address", cell: ({ base_url }) => <span className="mono truncate">{base_url}</span> },
		{ key: "version", head: "Version", cell: ({ server_version }) => server_version ?? "-" },
		{
			key: "state",
			head: "State",
			cell: ({ last_test_status, last_test_message, last_tested_at }) => (
				<span className="flex items-center gap-2">
					<Pill
						tone={last_test_status === "success" ? "ok" : last_test_status === "failed" ? "bad" : "neutral"}
						title={last_test_message}
					>
						{last_test_status === "success" ? "Reachable" : last_test_status === "failed" ? "Unreachable" : "Untested"}
					</Pill>
					{last_tested_at && <span className="text-muted">{times.relative(last_tested_at)}</span>}
				</span>
			),
		},
		{
			key: "launch",
			head: "Launch",
			cell: ({ can_launch }) =>
				can_launch === null ? (
					<span className="text-muted">-</span>
				) : (
					<Pill tone={can_launch ? "ok" : "warn"}>{can_launch ? "May launch jobs" : "May not launch jobs"}</Pill>
				),
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (server) => (
				<span className="inline-flex gap-1">
					{server.can_edit && (
						<>
							<Button
								icon={PlugZap}
								busy={test.isPending && test.variables === server.id}
								onClick={() => test.mutate(server.id)}
							>
								Test
							</Button>
							<IconButton
								variant="ghost"
								label={`Edit ${server.name}`}
								icon={Pencil}
								onClick={() => onEdit(server.id)}
							/>
						</>
					)}
					{server.can_delete && (
						<IconButton
							variant="ghost"
							label={`Delete ${server.name}`}
							icon={Trash2}
							onClick={() => onRemove(server)}
						/>
					)}
				</span>
			),
		},
	];
	return <Table label="Automation servers" columns={columns} rows={rows} getKey={({ id }) => id} />;
}

const useTest = () =>
	useAction((id: string) => callRoute(automationConnectionRoutes.test, { params: { id } }), {
		stale: ["automation_connections"],
		onSuccess: () => showToast("The server is reachable"),
		onError: (error) => showProblem(error),
	});

interface ServerFormProps {
	/** Null: a new one. */
	readonly server: AutomationConnection | null;
	onMade(id: string): void;
	onClose(): void;
}

export const ServerForm = (props: ServerFormProps) => (
	<Drafted form="automation-server" id={props.server?.id}>
		<ServerFields {...props} />
	</Drafted>
);

function ServerFields({ server, onMade, onClose }: ServerFormProps) {
	const draft = useDraft();
	const isAdmin = useMay()("admin");
	const [name, setName] = useDraftState("name", server?.name ?? "");
	const [address, setAddress] = useDraftState("base_url", server?.base_url ?? "");
	const [token, setToken] = useState("");
	const [isPublic, setPublic] = useDraftState("is_public", server?.is_public ?? true);
	const [isDefault, setDefault] = useDraftState("is_default", server?.is_default ?? false);
	const [verify, setVerify] = useDraftState("verify_ssl", server?.verify_ssl ?? true);
	const [approval, setApproval] = useDraftState<ServerApproval>("approval", server?.approval ?? "always");
	const [free, setFree] = useDraftState("free_job_template_ids", server?.free_job_template_ids.join(", ") ?? "");
	const [outcome, setOutcome] = useState<{ readonly ok: boolean; readonly text: string } | null>(null);
	const guard = useSaveGuard(server, ({ id }) => callRoute(automationConnectionRoutes.detail, { params: { id } }));
	const save = useAction(
		async () => {
			setOutcome(null);
			const base_url = /^https?:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`;
			// The mark of another user's default is not shown here: saving other fields leaves it alone.
			const marked = isDefault === (server?.is_default ?? false) ? {} : { is_default: isDefault };
			const shared = { name, base_url, is_public: isPublic, ...marked, verify_ssl: verify };
			const body = isAdmin ? { ...shared, approval, free_job_template_ids: readTemplateIds(free) } : shared;
			await guard.assertUnchanged(body);
			const saved =
				server === null
					? await callRoute(automationConnectionRoutes.create, { body: { ...body, oauth_token: token } })
					: await callRoute(automationConnectionRoutes.update, {
							params: { id: server.id },
							body: { ...body, ...(token === "" ? {} : { oauth_token: token }) },
						});
			draft?.drop();
			guard.accept(saved);
			try {
				await callRoute(automationConnectionRoutes.test, { params: { id: saved.id } });
				setOutcome({ ok: true, text: "The server is reachable, and the token is accepted." });
			} catch (error) {
				setOutcome({ ok: false, text: findProblem(error).detail || findProblem(error).title });
			}
			// The list has it before its address names it.
			await invalidateAreas("automation_connections");
			return saved;
		},
		{ onSuccess: (saved) => server === null && onMade(saved.id) },
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	return (
		<Dialog
			open
			side="right"
			title={server?.name ?? "New automation server"}
			onClose={onClose}
			actions={
				<>
					{!outcome?.ok && <CancelButton label="Cancel" onClose={onClose} />}
					<Button
						variant={outcome?.ok ? "default" : "primary"}
						busy={save.isPending}
						onClick={() => save.mutate(undefined)}
					>
						Save and test
					</Button>
					{outcome?.ok && (
						<Button variant="primary" onClick={onClose}>
							Done
						</Button>
					)}
				</>
			}
		>
			<Form
				className="flex flex-col gap-3.5"
				onSubmit={(event) => {
					event.preventDefault();
					save.mutate(undefined);
				}}
			>
				{outcome && <Banner tone={outcome.ok ? "ok" : "bad"} title={outcome.text} />}
				{save.error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
				)}
				<TextField
					label="Name"
					required
					value={name}
					error={errors.name}
					onChange={(event) => setName(event.target.value)}
				/>
				<AudienceField isPublic={isPublic} error={errors.is_public} onChange={setPublic} />
				<TextField
					mono
					label="Address"
					required
					placeholder="https://awx.example.net"
					value={address}
					spellCheck={false}
					error={errors.base_url}
					onChange={(event) => setAddress(event.target.value)}
				/>
				<PasswordField
					label="Token"
					autoComplete="off"
					hint={
						server === null
							? "A token with write scope of a user who may launch the jobs."
							: "Leave blank to keep the current one."
					}
					value={token}
					error={errors.oauth_token}
					onChange={(event) => setToken(event.target.value)}
				/>
				<CheckField
					label="Default server"
					hint={
						isAdmin && isPublic
							? "For all users who have no default of their own. The server's owner must be an administrator."
							: "For its owner only."
					}
					checked={isDefault}
					onChange={(event) => setDefault(event.target.checked)}
				/>
				{errors.is_default && <Banner tone="bad" title={errors.is_default} />}
				<CheckField
					label="Verify TLS certificate"
					hint={verify ? undefined : "Anyone between Weft and the server could read the token."}
					checked={verify}
					onChange={(event) => setVerify(event.target.checked)}
				/>
				{isAdmin && (
					<ServerApprovalFields
						approval={approval}
						free={free}
						errors={errors}
						onApproval={setApproval}
						onFree={setFree}
					/>
				)}
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
