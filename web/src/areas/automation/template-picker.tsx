/** Chooses the template of a new request. */
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { FileStack } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useMay } from "../../platform/profile.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { type Crumb, Empty, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Pager } from "../../ui/table.tsx";
import type { SourceSearch } from "./source-rows.ts";
import { TemplatesTable } from "./templates-table.tsx";

const SIZE = 50;

interface TemplatePickerProps {
	readonly crumbs: readonly Crumb[];
	readonly source: SourceSearch;
}

export function TemplatePicker({ crumbs, source }: TemplatePickerProps) {
	const [search, setSearch] = useState("");
	const [page, setPage] = useState(1);
	const query = { page: String(page), page_size: String(SIZE), ...(search === "" ? {} : { search }) };
	const canAdd = useMay()("add_automationtemplate");
	const answer = useAnswer(automationTemplateRoutes.list, { query }, { keepPrevious: true });
	return (
		<>
			<PageHead
				title="New request"
				crumbs={crumbs}
				actions={
					<SearchField
						label="Filter templates"
						value={search}
						onChange={(text) => {
							setSearch(text);
							setPage(1);
						}}
					/>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<Panel title="Choose a template">
					<Loaded answer={answer} lines={6}>
						{({ results, count }) =>
							results.length === 0 ? (
								<Empty
									icon={FileStack}
									action={search === "" && <ButtonLink to="/automation/templates">To Templates</ButtonLink>}
								>
									{search === ""
										? canAdd
											? "There is no template yet. Make one from a job of the automation server."
											: "There is no template that you may request. Its author names the groups that may."
										: "No template matches."}
								</Empty>
							) : (
								<>
									<TemplatesTable isPicker rows={results} source={source} />
									<Pager page={page} pageSize={SIZE} count={count} onPage={setPage} />
								</>
							)
						}
					</Loaded>
				</Panel>
			</div>
		</>
	);
}
