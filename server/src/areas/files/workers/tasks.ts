/** Reads and writes files on a thread: YAML of thousands of files would hold the process. */
import type { TaskAnswer } from "../../../core/workers/serve.ts";
import { type FileDocument, getMembers } from "../rules/documents.ts";
import { type FileResult, readFile } from "../rules/read-file.ts";
import { writeYaml } from "../rules/yaml.ts";

export const queryFileTasks = {
	read: (contents: readonly string[]): TaskAnswer<FileResult[]> => ({ value: contents.map(readFile) }),
	write: (documents: readonly FileDocument[]): TaskAnswer<string[]> => ({
		value: documents.map((document) => writeYaml(getMembers(document))),
	}),
};
export type QueryFileTasks = typeof queryFileTasks;
