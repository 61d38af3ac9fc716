/** The grid of a template and the variables of its job, side by side. */
import { useProfile } from "../../platform/profile.ts";
import { Panel } from "../../ui/page.tsx";
import { buildJobVariables, buildSample, listPreviewedSheets } from "./template-preview.ts";
import type { TemplateEdit } from "./use-template-edit.ts";

export function TemplatePreview({ fields }: { fields: TemplateEdit["fields"] }) {
	const username = useProfile()?.username ?? "";
	return (
		<Panel title="Preview">
			<div className="grid gap-3 p-3 lg:grid-cols-2">
				<div className="flex min-w-0 flex-col gap-3">
					<h3 className="m-0 font-normal text-muted text-xs">The grid of a request, with one row</h3>
					{listPreviewedSheets(fields).map(({ name, columns }) => (
						<section
							key={name}
							className="overflow-x-auto"
							// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
							tabIndex={0}
							aria-label={`Preview of ${name ?? "the rows"}`}
						>
							{name !== null && <p className="m-0 pb-1 font-medium">{name}</p>}
							<table className="border-collapse text-left">
								<thead>
									<tr>
										{columns.map((column) => (
											<th
												key={column.name}
												scope="col"
												className="whitespace-nowrap border border-line bg-sunken px-2 py-1 font-medium"
											>
												{column.label || column.name}
												{column.required && <span className="text-bad"> *</span>}
											</th>
										))}
									</tr>
								</thead>
								<tbody>
									<tr>
										{columns.map((column) => (
											<td key={column.name} className="mono whitespace-nowrap border border-line px-2 py-1">
												{buildSample(column)[0]}
											</td>
										))}
									</tr>
								</tbody>
							</table>
						</section>
					))}
				</div>
				<div className="flex min-w-0 flex-col gap-3">
					<h3 className="m-0 font-normal text-muted text-xs">The variables that its job receives</h3>
					<section
						aria-label="Variables of the job"
						// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
						tabIndex={0}
						className="max-h-96 overflow-auto rounded-control bg-sunken"
					>
						<pre className="mono m-0 p-2">{JSON.stringify(buildJobVariables(fields, username), null, 2)}</pre>
					</section>
				</div>
			</div>
		</Panel>
	);
}
