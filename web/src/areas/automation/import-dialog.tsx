/** Chooses the job or workflow of the automation server that a new template launches. */
import { useNavigate } from "@tanstack/react-router";
import type { AutomationConnection, AutomationKind } from "@weft/contracts";
import { automationConnectionRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useProfile } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Banner, Empty, ProblemBanner } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Pager } from "../../ui/table.tsx";
import { nameWithOrganization } from "./server-names.ts";

/** Templates of one page of the choice. */
const SIZE = 100;

export function ImportDialog({ onClose }: { onClose(): void }) {
	const navigate = useNavigate();
	const servers = useAnswer(automationConnectionRoutes.list, { query: { page_size: "200" } });
	const [chosen, setChosen] = useState<string | null>(null);
	const [kind, setKind] = useState<AutomationKind>("job");
	const [job, setJob] = useState("");
	const [search, setSearch] = useState("");
	const [page, setPage] = useState(1);
	const list = servers.data?.results ?? [];
	const userId = useProfile()?.id;
	const server = chosen ?? findDefaultServer(list, userId);
	const jobs = useAnswer(
		kind === "job" ? automationConnectionRoutes.jobTemplates : automationConnectionRoutes.workflowTemplates,
		{
			params: { id: server },
			query: { page: String(page), page_size: String(SIZE), ...(search === "" ? {} : { search }) },
		},
		{ enabled: server !== "", keepPrevious: true },
	);
	const choose = (change: () => void) => {
		change();
		setJob("");
		setPage(1);
	};
	const current = jobs.data?.results.find(({ id }) => String(id) === job);
	return (
		<Dialog
			open
			title="New template"
			description="The columns come from the survey of the server's template. You can change them before you save."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						disabled={current === undefined}
						onClick={() =>
							void navigate({ to: "/automation/templates/new", search: { connection: server, job, kind } })
						}
					>
						Import the survey
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{servers.error !== null && <ProblemBanner error={servers.error} />}
				{servers.data !== undefined && list.length === 0 ? (
					<Empty action={<ButtonLink to="/settings/automation">Connect a server</ButtonLink>}>
						No automation server is connected.
					</Empty>
				) : (
					<>
						<SelectField
							label="Automation server"
							value={server}
							options={[
								...(server === "" ? [{ value: "", label: "Choose a server" }] : []),
								...list.map(({ id, name }) => ({ value: id, label: name })),
							]}
							hint={server === "" ? "None of them is yours, or shared by an administrator." : undefined}
							onChange={(event) => choose(() => setChosen(event.target.value))}
						/>
						<SelectField
							label="Kind"
							value={kind}
							options={[
								{ value: "job", label: "Job template" },
								{ value: "workflow", label: "Workflow template" },
							]}
							onChange={(event) => choose(() => setKind(event.target.value as AutomationKind))}
						/>
						<SearchField
							label="Search the server's templates"
							value={search}
							onChange={(text) => {
								setSearch(text);
								setPage(1);
							}}
						/>
						<SelectField
							label="Template of the server"
							value={current === undefined ? "" : job}
							data-autofocus
							options={[
								{ value: "", label: jobs.isLoading ? "Loading" : "Choose a template" },
								...(jobs.data?.results.map((each) => ({
									value: String(each.id),
									label: [
										nameWithOrganization(each, jobs.data?.results ?? []),
										...(each.survey_enabled ? [] : ["(no survey)"]),
										...(each.can_start ? [] : ["(may not be launched)"]),
									].join(" "),
								})) ?? []),
							]}
							onChange={(event) => setJob(event.target.value)}
						/>
						{jobs.data !== undefined && jobs.data.count > SIZE && (
							<Pager
								page={page}
								pageSize={SIZE}
								count={jobs.data.count}
								onPage={(to) => {
									setJob("");
									setPage(to);
								}}
							/>
						)}
						{jobs.error !== null && <ProblemBanner error={jobs.error} onRetry={() => void jobs.refetch()} />}
						{current !== undefined && !current.asks.variables && (
							<Banner
								tone="warn"
								title="The job would not receive the rows."
								detail='In AWX tick "Prompt on launch" at Variables.'
							/>
						)}
						{current !== undefined && kind === "job" && !current.asks.job_type && (
							<Banner tone="info" title="It allows no dry runs: it does not ask for the job type at launch." />
						)}
					</>
				)}
			</div>
		</Dialog>
	);
}

/**
 * Id of the server at first: the user's own default, the administrators' one, else the first that
 * may be a default. Empty where there is none.
 */
function findDefaultServer(list: readonly AutomationConnection[], userId: number | undefined): string {
	const defaults = list.filter((each) => each.is_default);
	const own = defaults.find(({ created_by }) => created_by?.id === userId);
	return (own ?? defaults[0] ?? list.find((each) => each.is_default_candidate))?.id ?? "";
}
