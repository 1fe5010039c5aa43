#include "attend/models/parameter_places.h"

#include "attend/kernels/isa.h"

namespace attend {

fused::WeightPlace ParameterPlaces::weight(const std::string& name) const {
  const ParameterSlot& slot = store_.slot(name);
  return {slot.offset, slot.shape.at(0), slot.shape.at(1), slot.shape.at(1)};
}

fused::LinearPlace ParameterPlaces::linear(const std::string& scope, bool bias) const {
  fused::LinearPlace place{weight(scope + ".weight")};
  if (bias) place.bias = offset(scope + ".bias");
  return place;
}

std::vector<fused::GruPlaces> ParameterPlaces::gru_layers(const std::string& scope,
                                                          int64_t layers) const {
  std::vector<fused::GruPlaces> places;
  for (int64_t l = 0; l < layers; ++l) {
    const std::string at = scope + ".layers." + std::to_string(l);
    places.push_back({weight(at + ".weight_ih"), weight(at + ".weight_hh"), offset(at + ".bias_ih"),
                      offset(at + ".bias_hh"), dropout_site(at, "input")});
  }
  return places;
}

std::string kernels_declined(const ParameterStore& store) {
  if (!kernels::fused()) return "ATTEND_FUSED=0 asks for LibTorch's operations alone";
  if (!store.flat().device().is_cpu()) return "kernels run on the CPU";
  const at::ScalarType type = store.flat().scalar_type();
  if (type != at::kFloat && type != at::kDouble) return "kernels take float and double";
  return "";
}

std::string recurrent_declined(const ModelConfig& config) {
  if (config.cell != CellKind::kGru) return "kernels know one cell: model.cell = gru";
  if (config.bidirectional) return "kernels know encoders that read one way: bidirectional = false";
  return "";
}

}  // namespace attend
