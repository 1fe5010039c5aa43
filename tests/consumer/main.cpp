#include <iostream>
#include <string>

std::string complaint(const std::string& folder);
long causal_pairs();

int main() {
  const std::string said = complaint("no such model");
  std::cout << said << "\n";
  return said.find("no such model") != std::string::npos && causal_pairs() == 6 ? 0 : 1;
}
