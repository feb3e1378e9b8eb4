// What a view is given. revision: changes with every analysis of the run.
import type { RunDocument } from './openapi';

export interface OfRun {
  id: string;
  base: string;
  run: RunDocument;
  revision: string;
  at: string[]; // what follows the view's name in the address
}
